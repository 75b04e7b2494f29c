import { relative } from 'node:path'
import { normalizePath } from 'vite'
import { layoutName } from '../../routing/layout-names.ts'
import { ROUTE_HOOKS } from '../../routing/route-hooks.ts'
import { hasExport, isFlagOn } from './module-exports.ts'
import type { PageRoot } from './roots.ts'
import { fileRoutesOf, layoutsOf, listFiles, type ListedFile, type SiteFiles, type SiteFile } from './site-files.ts'
import { toShellModule } from '../shell-client.ts'

/** Virtual module that lists the pages for the server. */
export const SERVER_PAGES = 'hull:server-pages'

/** Exports that the server needs when it adds a page's routes, before the first request. */
const ROUTE_EXPORTS = new Set<string>(['configure', ...ROUTE_HOOKS])

interface ServerPagesOptions {
  roots: readonly PageRoot[]
  /** The client folder, which is Vite's root. The paths in a build's manifest are relative to it. */
  client: string
  /** The pages and layouts with their exports. Without it, the code imports all pages. */
  site?: SiteFiles
}

/**
 * Returns the code of {@link SERVER_PAGES}: every page and layout by id, with its file and its root's prefix. The server
 * loads a page with its first request, unless the page has {@link ROUTE_EXPORTS}.
 * @see docs/decisions/089-pages-are-loaded-late.md
 */
export function writeServerPages({ roots, client, site }: ServerPagesOptions): string {
  const fileRoutes = site && fileRoutesOf(site.pages)
  const imports: string[] = []
  const files: Record<string, { source: string; file: string; prefix: string }> = {}
  const write = (
    { id, path, file, root: { prefix, isOfPackage }, exports }: ListedFile & Partial<SiteFile>,
    isPage: boolean
  ) => {
    files[id] = { source: normalizePath(relative(client, path)), file, prefix }
    if (isPage && exports && !exports.some(({ name }) => ROUTE_EXPORTS.has(name))) {
      const parts = [
        `load: () => import(${JSON.stringify(path)})`,
        ...(fileRoutes!.has(id) ? [`fileRoute: ${JSON.stringify(fileRoutes!.get(id))}`] : []),
        ...(hasExport(exports, 'uploads') ? ['takesUploads: true'] : []),
        ...(isOfPackage ? ['isOfPackage: true'] : [])
      ]
      return `  ${JSON.stringify(id)}: { ${parts.join(', ')} }`
    }
    const name = `module${imports.length}`
    imports.push(`import * as ${name} from ${JSON.stringify(path)}`)
    return `  ${JSON.stringify(id)}: ${name}`
  }
  const listOf = (kind: 'pages' | 'layouts') => {
    const entries = (site?.[kind] ?? listFiles(roots, kind)).map((file) => write(file, kind === 'pages'))
    return `export const ${kind} = {\n${entries.join(',\n')}\n}\n`
  }
  const lists = listOf('pages') + listOf('layouts')
  return `${imports.join('\n')}\n${lists}export const files = ${JSON.stringify(files)}\n`
}

/** Virtual module that lists the pages for the browser. */
export const CLIENT_PAGES = 'hull:pages'

/**
 * Returns the code of {@link CLIENT_PAGES}. For each page: a loader of its chunk, its layouts, whether its data is
 * static, whether it has an action, whether its document needs a nonce, and its address if the file's name does not give
 * it. For each layout: a loader. Also a loader of the code for `onEnter` and `client/context.ts`, and of the code for
 * loading views, if the site needs it. The import of a page without script is never loaded; it makes the build write the
 * page's stylesheets.
 */
export function writeClientPages(site: SiteFiles): string {
  const fileRoutes = fileRoutesOf(site.pages)
  const pages = site.pages.map((page) => {
    const layouts = layoutsOf(page, site)
    const usesNonce =
      page.usesNonce || site.layouts.some(({ id, usesNonce }) => usesNonce && layouts.includes(layoutName(id)))
    const parts = [
      `${isFlagOn(page.exports, 'serverOnly') ? 'styles' : 'load'}: () => import(${JSON.stringify(page.path)})`,
      `layouts: ${JSON.stringify(layouts)}`,
      ...(isFlagOn(page.exports, 'staticData') ? ['isStatic: true'] : []),
      ...(hasExport(page.exports, 'action') ? ['hasAction: true'] : []),
      ...(usesNonce ? ['usesNonce: true'] : []),
      ...(fileRoutes.has(page.id) ? [`fileRoute: ${JSON.stringify(fileRoutes.get(page.id))}`] : [])
    ]
    return `  ${JSON.stringify(page.id)}: { ${parts.join(', ')} }`
  })
  const layouts = site.layouts.map(
    ({ id, path }) => `  ${JSON.stringify(layoutName(id))}: () => import(${JSON.stringify(path)})`
  )
  const loaderIf = (isNeeded: boolean, module: string) =>
    isNeeded ? `() => import(${JSON.stringify(toShellModule(module))})` : 'undefined'
  const entering = loaderIf(entersPages(site), 'fastify-react/enter.ts')
  const hasLoadingViews = site.layouts.some(({ exports }) => hasExport(exports, 'LoadingView'))
  const loadingViews = loaderIf(hasLoadingViews, 'navigation/loading-view.ts')
  return `export const pages = {\n${pages.join(',\n')}\n}\n\nexport const layouts = {\n${layouts.join(',\n')}\n}\n\nexport const entering = ${entering}\nexport const loadingViews = ${loadingViews}\n`
}

/** Whether the browser must run code before it shows a page. Only then does it load that code. */
const entersPages = ({ pages, hasContext }: SiteFiles) =>
  hasContext || pages.some(({ exports }) => hasExport(exports, 'onEnter'))
