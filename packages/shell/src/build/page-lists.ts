import { relative } from 'node:path'
import { normalizePath } from 'vite'
import type { PageRoot } from './roots.ts'
import { layoutName, layoutsOf, listFiles, type Site, spellingsOf } from './site.ts'
import { toShellModule } from './shell-client.ts'

/** What the server's half of the site imports to know its pages. */
export const SERVER_PAGES = 'hull:server-pages'

/**
 * Writes the module behind {@link SERVER_PAGES}: every page and layout by id, and for each its file and its root's prefix.
 * @param client the client folder: Vite's root, from which a build's manifest names files
 */
export function writeServerPages(roots: readonly PageRoot[], client: string): string {
  const imports: string[] = []
  const files: Record<string, { source: string; file: string; prefix: string }> = {}
  const listOf = (kind: 'pages' | 'layouts') => {
    const entries = listFiles(roots, kind).map(({ id, path, file, root: { prefix } }) => {
      files[id] = { source: normalizePath(relative(client, path)), file, prefix }
      const name = `module${imports.length}`
      imports.push(`import * as ${name} from ${JSON.stringify(path)}`)
      return `  ${JSON.stringify(id)}: ${name}`
    })
    return `export const ${kind} = {\n${entries.join(',\n')}\n}\n`
  }
  const lists = listOf('pages') + listOf('layouts')
  return `${imports.join('\n')}\n${lists}export const files = ${JSON.stringify(files)}\n`
}

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
