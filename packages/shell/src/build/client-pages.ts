import { toShellModule } from './shell-client.ts'
import { layoutName, layoutsOf, spellingsOf, type Site } from './site.ts'

/** What the browser's half of the site imports to know its pages. */
export const CLIENT_PAGES = 'hull:pages'

/**
 * The module behind {@link CLIENT_PAGES}: for each page a loader for its chunk, its layouts, whether its data is
 * static, and its address where its file's name does not give it; for each layout a loader; and a loader for what
 * `onEnter` and `client/context.ts` need, where there is one. What a page without script imports is never loaded: it is named so that the build
 * writes the page's stylesheets.
 */
export function writeClientPages(site: Site): string {
  const spellings = spellingsOf(site.pages)
  const pages = site.pages.map((page) => {
    const isOn = (flag: string) => page.exports.some(({ name, literal }) => name === flag && literal === true)
    const parts = [
      `${isOn('serverOnly') ? 'styles' : 'load'}: () => import(${JSON.stringify(page.path)})`,
      `layouts: ${JSON.stringify(layoutsOf(page, site))}`,
      ...(isOn('staticData') ? ['isStatic: true'] : []),
      ...(spellings.has(page.id) ? [`spelling: ${JSON.stringify(spellings.get(page.id))}`] : [])
    ]
    return `  ${JSON.stringify(page.id)}: { ${parts.join(', ')} }`
  })
  const layouts = site.layouts.map(
    ({ id, path }) => `  ${JSON.stringify(layoutName(id))}: () => import(${JSON.stringify(path)})`
  )
  const entering = entersPages(site)
    ? `() => import(${JSON.stringify(toShellModule('fastify-react/enter.ts'))})`
    : 'undefined'
  return `export const pages = {\n${pages.join(',\n')}\n}\n\nexport const layouts = {\n${layouts.join(',\n')}\n}\n\nexport const entering = ${entering}\n`
}

/** Whether the browser has something to do before it shows a page: only then it loads the code for it. */
const entersPages = ({ pages, hasContext }: Site) =>
  hasContext || pages.some(({ exports }) => exports.some(({ name }) => name === 'onEnter'))
