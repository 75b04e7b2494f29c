import type * as pageList from 'hull:pages'
import { NO_ROUTE } from '@hull/common/constants.ts'
import { createMatcher, type Matcher } from '../routing/route-matcher.ts'
import { readPattern } from '../routing/route-pattern.ts'
import type { PagePayload } from '../routing/payload.ts'
import { withoutBasePath } from './base-path.ts'
import type { LayoutModule, PageModule } from './contracts/page.ts'
import type { View } from './view/view.tsx'

/** A page in the browser's half of this build. */
export interface KnownPage {
  /** Loads the page's chunk and stylesheet; undefined for a page without script. */
  load?: () => Promise<PageModule>
  /** Names of the page's layouts, outermost first. */
  layouts: string[]
  /** True if the page's data depends only on the path. */
  isStatic?: boolean
  /** True if the page has an action. */
  hasAction?: boolean
  /** True if the page or a layout of it calls `useNonce()`. */
  usesNonce?: boolean
  /** The page's address, if its file name does not give it. */
  fileRoute?: string
}

type PageList = typeof pageList

let list: PageList
let matchPath: Matcher

/**
 * Sets the list of pages, before all other functions are called. Only the entry imports the list, which has the names of
 * all page files: other files of the build keep their names when a page changes.
 * @see docs/decisions/096-framework-file.md
 */
export function setPageList(given: PageList): void {
  list = given
  matchPath = createMatcher(Object.entries(list.pages).map(([id, { fileRoute }]) => readPattern(id, fileRoute)))
}

/** Returns the loader of the code that shows loading views; undefined if no layout has one. */
export const findLoadingViews = (): PageList['loadingViews'] => list.loadingViews

function match(pathname: string) {
  const path = withoutBasePath(pathname)
  return path === undefined ? undefined : matchPath(path)
}

/** Returns the route name of a path: its pattern, such as `/items/[id]`. */
export function nameOfPath(pathname: string): string {
  const found = match(pathname)
  return found === undefined || found === 'malformed' ? NO_ROUTE : found.pattern.path
}

/**
 * Returns the page of a path in this build. The server's answer may be another page.
 * @returns `malformed` for a path that cannot be decoded, undefined if this build has no page for it
 */
export function findPage(pathname: string): KnownPage | 'malformed' | undefined {
  const found = match(pathname)
  return found === undefined || found === 'malformed' ? found : list.pages[found.pattern.id]
}

/**
 * Loads layouts.
 * @param names as in {@link KnownPage}
 */
export const loadLayouts = (names: string[]): Promise<LayoutModule[]> =>
  Promise.all(names.map((name) => load(known(list.layouts[name], name))))

/**
 * Loads the chunks and stylesheets of a page and its layouts in parallel. The stylesheets of the page come last, as in a
 * document, so that its rules win.
 */
export async function loadPage(page: KnownPage): Promise<void> {
  const loaders = [...page.layouts.map((name) => list.layouts[name]), page.load]
  await Promise.all(loaders.map((loader) => loader && load<unknown>(loader)))
}

/**
 * Loads the chunks that a payload needs.
 * @throws Error if this build has no such page or layout, or a chunk cannot be loaded
 */
export async function loadView(payload: PagePayload, search: string): Promise<View> {
  const [around, page] = await Promise.all([
    loadLayouts(payload.layouts),
    payload.page === null ? null : load(known(list.pages[payload.page]?.load, payload.page))
  ])
  const view: View = {
    payload,
    search,
    page: page && { Component: page.default, clientOnly: page.clientOnly === true },
    layouts: around
  }
  if (list.entering) await (await load(list.entering)).enter(view, page)
  return view
}

function known<Loader>(loader: Loader | undefined, name: string): Loader {
  if (!loader) throw new Error(`This build has no ${name}`)
  return loader
}

/**
 * Loaded modules by their loader. Calling `import()` again takes several tasks, in which the browser may paint the old
 * page again, so that the new one appears a frame late.
 */
const loaded = new Map<Loader<unknown>, unknown>()

/**
 * Errors of stylesheets by the loader of their module. Vite requests a stylesheet only once: called again, the loader
 * would ignore that the stylesheet is missing.
 */
const unstyled = new Map<Loader<unknown>, unknown>()

type Loader<Module> = () => Promise<Module>

function load<Module>(loader: Loader<Module>): Module | Promise<Module> {
  const ready = loaded.get(loader) as Module | undefined
  if (ready) return ready
  if (unstyled.has(loader)) return Promise.reject(unstyled.get(loader) as Error)
  return loader().then(
    (module) => {
      loaded.set(loader, module)
      return module
    },
    (error: unknown) => {
      // Vite's own text: the error has no name or code.
      if (String(error).startsWith('Error: Unable to preload CSS')) unstyled.set(loader, error)
      throw error
    }
  )
}
