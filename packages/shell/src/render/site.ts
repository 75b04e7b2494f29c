import type { ClientEntry, LatePage } from '../client/entry/index.ts'
import type { LayoutModule, PageModule } from '../client/contracts/page.ts'
import { defaultLayout, layoutIn, layoutName } from '../routing/layout-names.ts'
import { toFileRoute } from '../routing/route-path.ts'
import { checkCachePolicy } from './shared-page.ts'
import { checkLayoutViews, findInvalidExport } from './check-page.ts'
import { createRouteTree, type RouteTree } from '../routing/route-tree.ts'
import type { RouteMatch } from '../routing/route-matcher.ts'
import type { RoutePattern } from '../routing/route-pattern.ts'
import { PageUnloadable } from '../errors.ts'

export interface Layout {
  name: string
  id: string
  /** Path of the layout's file in a build's manifest. */
  source: string
  module: LayoutModule
}

/** A page with its layouts and address. */
export interface Page {
  pattern: RoutePattern
  /** Path from the project's folder, for messages: `client/pages/about.tsx`. */
  file: string
  /** The first invalid export of the page or of a layout around it. */
  problem: [file: string, what: string] | undefined
  /** True if the address has parameters. */
  isDynamic: boolean
  module: PageModule
  /** Outermost first. */
  layouts: Layout[]
  /** The `getMeta` of layouts and page, outermost first. */
  getMetas: NonNullable<PageModule['getMeta']>[]
  /** Source files whose chunks the page needs, as paths in the manifest: the layouts, outermost first, and the page. */
  sources: string[]
}

/** The client folder on the server. Created again after every change in development. */
export interface Site {
  entry: ClientEntry
  patterns: RoutePattern[]
  /** Returns the page of a file such as `/pages/about.tsx`, if its module is loaded. */
  pageOf: (id: string) => Page | undefined
  /**
   * Returns the page of a file, and loads its module if that is not loaded.
   * @throws PageUnloadable
   */
  loadPage: (id: string) => Promise<Page>
  /**
   * Yields all pages in the order of their patterns, and loads those that are not loaded.
   * @param options.own leaves out the pages of packages
   * @throws PageUnloadable
   */
  loadPages: (options?: { own?: boolean }) => AsyncGenerator<Page>
  /** Name of a file for messages: `client/pages/about.tsx`. */
  fileOf: (id: string) => string
  /** Whether the page of a file exports `uploads`. */
  takesUploads: (id: string) => boolean
  match: (pathname: string) => RouteMatch | 'malformed' | undefined
  /** The `default` layout, if it exists. It surrounds errors, refusals and outcomes outside of all areas. */
  fallbackLayouts: Layout[]
  /** Returns the layouts around errors, refusals and outcomes at an address that a layout's `fallbackFor` covers. */
  areaLayouts: (pathname: string) => Layout[] | undefined
}

/**
 * Combines pages, layouts and addresses.
 * @throws Error if two files have one address or a layout is unknown, which a build detects earlier, or if the `cache`
 * of a page that is loaded is invalid
 * @throws LayoutViewInvalid if a view of a layout is not a component
 */
export function createSite(entry: ClientEntry): Site {
  for (const [id, layout] of Object.entries(entry.layouts)) checkLayoutViews(fileOf(entry, id).file, layout)
  const tree: RouteTree = createRouteTree(
    Object.keys(entry.pages),
    (id) => {
      const page = entry.pages[id]!
      return isLate(page) ? page.fileRoute : toFileRoute(id, page.path, fileOf(entry, id))
    },
    (id) => fileOf(entry, id).file
  )
  const patterns = new Map(tree.patterns.map((pattern) => [pattern.id, pattern]))
  const pages = new Map<string, Page>()
  for (const [id, page] of Object.entries(entry.pages)) if (!isLate(page)) addPage(id, page)

  function addPage(id: string, module: PageModule): Page {
    const page = createPage(entry, patterns.get(id)!, module)
    pages.set(id, page)
    return page
  }

  async function loadPage(id: string): Promise<Page> {
    const loaded = pages.get(id)
    if (loaded) return loaded
    try {
      const module = await (entry.pages[id] as LatePage).load()
      return pages.get(id) ?? addPage(id, module)
    } catch (error) {
      throw new PageUnloadable(fileOf(entry, id).file, { cause: error })
    }
  }

  return {
    entry,
    patterns: tree.patterns,
    pageOf: (id) => pages.get(id),
    loadPage,
    async *loadPages({ own = false } = {}) {
      for (const { id } of tree.patterns) if (!own || !isOfPackage(entry.pages[id]!)) yield loadPage(id)
    },
    fileOf: (id) => fileOf(entry, id).file,
    takesUploads(id) {
      const page = entry.pages[id]!
      return isLate(page) ? page.takesUploads === true : page.uploads !== undefined
    },
    fallbackLayouts: layoutChain(entry, '', undefined),
    areaLayouts: createAreaLayouts(entry),
    match: (pathname) => tree.match(pathname)
  }
}

const isLate = (page: PageModule | LatePage): page is LatePage => 'load' in page

const isOfPackage = (page: PageModule | LatePage): boolean => isLate(page) && page.isOfPackage === true

function createPage(entry: ClientEntry, pattern: RoutePattern, exported: PageModule): Page {
  const { file, source, prefix } = fileOf(entry, pattern.id)
  const module = exported.cache ? { ...exported, cache: checkCachePolicy(pattern.path, exported.cache) } : exported
  const layouts = layoutChain(entry, prefix, module.layout)
  return {
    pattern,
    file,
    problem: findProblem(entry, [{ id: pattern.id, module }, ...layouts]),
    isDynamic: pattern.segments.some(({ kind }) => kind !== 'static'),
    module,
    layouts,
    getMetas: [...layouts.map((layout) => layout.module.getMeta), module.getMeta].filter((get) => get !== undefined),
    sources: [...layouts.map((layout) => layout.source), source]
  }
}

function findProblem(
  entry: ClientEntry,
  parts: Array<{ id: string; module: PageModule | LayoutModule }>
): Page['problem'] {
  for (const { id, module } of parts) {
    const problem = findInvalidExport(module as PageModule)
    if (problem !== undefined) return [fileOf(entry, id).file, problem]
  }
  return undefined
}

/** Maps paths to the layouts that surround their fallbacks. The path begins with the prefix of the layout's root. */
function createAreaLayouts(entry: ClientEntry): Site['areaLayouts'] {
  const areas = Object.entries(entry.layouts)
    .flatMap(([id, { fallbackFor }]) => {
      if (fallbackFor === undefined) return []
      const path = fileOf(entry, id).prefix + (fallbackFor === '/' ? '' : fallbackFor)
      return [{ path, layouts: layoutChain(entry, '', layoutName(id)) }]
    })
    .toSorted((a, b) => b.path.length - a.path.length)
  return (pathname) => areas.find(({ path }) => pathname === path || pathname.startsWith(`${path}/`))?.layouts
}

/** Returns the source of a page or layout. Without a list, all files are in the client folder. */
const fileOf = ({ files }: ClientEntry, id: string) =>
  files?.[id] ?? { source: id.slice(1), file: `client${id}`, prefix: '' }

/**
 * Returns the layouts around a page, outermost first.
 * @param prefix prefix of the page's root
 * @param named what the page exports as `layout`
 */
function layoutChain(entry: ClientEntry, prefix: string, named: string | null | undefined): Layout[] {
  const ids = new Map(Object.keys(entry.layouts).map((id) => [layoutName(id), id]))
  const chain: Layout[] = []
  let next = named === undefined ? defaultLayout(prefix, (name) => ids.has(name)) : named && layoutIn(prefix, named)
  while (typeof next === 'string') {
    const name: string = next
    const id = ids.get(name)
    if (id === undefined) throw new Error(`There is no layout "${name}" in client/layouts`)
    if (chain.some((layout) => layout.name === name)) throw new Error(`The layout "${name}" includes itself`)
    const module = entry.layouts[id]!
    const file = fileOf(entry, id)
    chain.unshift({ name, id, source: file.source, module })
    next = module.layout === undefined ? undefined : layoutIn(file.prefix, module.layout)
  }
  return chain
}
