import { layoutName, layoutsOf, type Site } from './site.ts'

/** What the browser's half of the site imports to know its pages. */
export const CLIENT_PAGES = 'hull:pages'

/**
 * The module behind {@link CLIENT_PAGES}: for each page a loader for its chunk, its layouts, and whether its data is
 * static; for each layout a loader. What a page without script imports is never loaded: it is named so that the build
 * writes the page's stylesheets.
 */
export function writeClientPages(site: Site): string {
  const pages = site.pages.map((page) => {
    const isOn = (flag: string) => page.exports.some(({ name, literal }) => name === flag && literal === true)
    const parts = [
      `${isOn('serverOnly') ? 'styles' : 'load'}: () => import(${JSON.stringify(page.id)})`,
      `layouts: ${JSON.stringify(layoutsOf(page, site))}`,
      ...(isOn('staticData') ? ['isStatic: true'] : [])
    ]
    return `  ${JSON.stringify(page.id)}: { ${parts.join(', ')} }`
  })
  const layouts = site.layouts.map(
    ({ id }) => `  ${JSON.stringify(layoutName(id))}: () => import(${JSON.stringify(id)})`
  )
  return `export const pages = {\n${pages.join(',\n')}\n}\n\nexport const layouts = {\n${layouts.join(',\n')}\n}\n`
}
