import type { ClientEntry } from '../../client/index.ts'
import type { LayoutModule, PageModule } from '../../client/shell/contract.ts'
import { toSpelling } from '../common/route-path.ts'
import { checkCachePolicy } from './shared-page.ts'
import { findInvalidExport } from './check-page.ts'
import { createRouteTree, type RouteParams, type RouteTree } from '../common/route-tree.ts'
import type { RoutePattern } from '../common/route-pattern.ts'

export interface Layout {
  name: string
  /** Its file, from the client root. */
  id: string
  module: LayoutModule
}

/** A page with everything that holds for it. */
export interface Page {
  pattern: RoutePattern
  /** From the project's folder, for messages: `client/pages/about.tsx`. */
  file: string
  /** What is wrong with its exports, or with those of a layout around it. */
  problem: [file: string, what: string] | undefined
  /** Its address has parameters. */
  isDynamic: boolean
  module: PageModule
  /** Outermost first. */
  layouts: Layout[]
  /** Source files whose chunks the page needs, as the manifest names them. */
  sources: string[]
}

export interface PageMatch {
  page: Page
  params: RouteParams
}

/** The client folder as the server sees it; in development made anew after every change. */
export interface Site {
  entry: ClientEntry
  patterns: RoutePattern[]
  /** The page of a file, such as `/pages/about.tsx`. */
  pageOf: (id: string) => Page | undefined
  match: (pathname: string) => PageMatch | 'malformed' | undefined
  /** The `default` layout, if there is one: it surrounds errors, refusals, and outcomes of no other layout. */
  fallbackLayouts: Layout[]
  /** The layouts that a layout's `fallbackFor` names for the 401, 403 and 404 of an address. */
  outcomeLayouts: (pathname: string) => Layout[] | undefined
}

/**
 * Puts pages, layouts and addresses together.
 * @throws Error when two files have one address or a layout is unknown, which a build finds earlier; and when a page's
 * `cache` is not valid
 */
export function createSite(entry: ClientEntry): Site {
  const tree: RouteTree = createRouteTree(Object.keys(entry.pages), (id) => toSpelling(id, entry.pages[id]!.path))
  const pages = new Map(tree.patterns.map((pattern) => [pattern.id, createPage(entry, pattern)]))
  return {
    entry,
    patterns: tree.patterns,
    pageOf: (id) => pages.get(id),
    fallbackLayouts: layoutChain(entry, undefined),
    outcomeLayouts: createOutcomeLayouts(entry),
    match(pathname) {
      const match = tree.match(pathname)
      if (match === undefined || match === 'malformed') return match
      return { page: pages.get(match.pattern.id)!, params: match.params }
    }
  }
}

function createPage(entry: ClientEntry, pattern: RoutePattern): Page {
  const source = entry.pages[pattern.id]!
  const module = source.cache ? { ...source, cache: checkCachePolicy(pattern.path, source.cache) } : source
  const layouts = layoutChain(entry, module.layout)
  return {
    pattern,
    file: `client${pattern.id}`,
    problem: findProblem([{ id: pattern.id, module }, ...layouts]),
    isDynamic: pattern.segments.some(({ kind }) => kind !== 'static'),
    module,
    layouts,
    sources: [pattern.id, ...layouts.map(({ id }) => id)].map((id) => id.slice(1))
  }
}

function findProblem(parts: Array<{ id: string; module: PageModule | LayoutModule }>): Page['problem'] {
  for (const { id, module } of parts) {
    const problem = findInvalidExport(module as PageModule)
    if (problem !== undefined) return [`client${id}`, problem]
  }
  return undefined
}

/** Layouts by the path whose outcomes they surround. */
function createOutcomeLayouts(entry: ClientEntry): Site['outcomeLayouts'] {
  const areas = Object.entries(entry.layouts)
    .flatMap(([id, { fallbackFor }]) => (fallbackFor === undefined ? [] : [{ id, path: fallbackFor }]))
    .map(({ id, path }) => ({ path, layouts: layoutChain(entry, layoutName(id)) }))
    .toSorted((a, b) => b.path.length - a.path.length)
  return (pathname) => areas.find(({ path }) => pathname === path || pathname.startsWith(`${path}/`))?.layouts
}

const layoutName = (id: string) => id.slice('/layouts/'.length, -'.tsx'.length)

const ENDINGS = ['.tsx', '.jsx']

function layoutChain({ layouts }: ClientEntry, name: string | null | undefined): Layout[] {
  const chain: Layout[] = []
  const find = (wanted: string) => ENDINGS.map((ending) => `/layouts/${wanted}${ending}`).find((id) => id in layouts)
  let next = name === undefined && find('default') ? 'default' : name
  while (typeof next === 'string') {
    const id = find(next)
    const module = id && layouts[id]
    if (!module) throw new Error(`There is no layout "${next}" in client/layouts`)
    if (chain.some((layout) => layout.name === next)) throw new Error(`The layout "${next}" stands inside itself`)
    chain.unshift({ name: next, id, module })
    next = module.layout
  }
  return chain
}
