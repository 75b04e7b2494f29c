import { entering, layouts, pages } from 'hull:pages'
import { NO_ROUTE } from '@hull/common/constants.ts'
import { createRouteTree } from '../routing/route-tree.ts'
import type { PagePayload } from '../routing/payload.ts'
import type { PageModule } from './contract.ts'
import type { View } from './view.tsx'

/** What this build's browser half knows of a page. */
export interface KnownPage {
  /** Loads its chunk and stylesheet; absent for one that has no script. */
  load?: () => Promise<PageModule>
  /** Its layouts, outermost first. */
  layouts: string[]
  /** Its data depends on the path alone. */
  isStatic?: boolean
  /** Its address, where its file's name does not give it. */
  spelling?: string
}

const tree = createRouteTree(Object.keys(pages), (id) => pages[id]!.spelling)

/** Name of the route that a path leads to: its pattern, such as `/items/[id]`. */
export function nameOfPath(pathname: string): string {
  const match = tree.match(pathname)
  return match === undefined || match === 'malformed' ? NO_ROUTE : match.pattern.path
}

/**
 * The page this build has at a path: what to try. The server's answer decides what is shown.
 * @returns `malformed` for a path that cannot be decoded, undefined where this build knows no page
 */
export function findPage(pathname: string): KnownPage | 'malformed' | undefined {
  const match = tree.match(pathname)
  return match === undefined || match === 'malformed' ? match : pages[match.pattern.id]
}

/** Loads the chunks and stylesheets of a page and its layouts, side by side. */
export async function loadPage(page: KnownPage): Promise<void> {
  const around = page.layouts.map((name) => layouts[name])
  await Promise.all([page.load && load(page.load), ...around.map((layout) => layout && load(layout))])
}

/**
 * Loads the chunks that a payload needs.
 * @throws Error when this build has no such page or layout, or a chunk cannot be loaded
 */
export async function loadView(payload: PagePayload, search: string): Promise<View> {
  const [page, ...around] = await Promise.all([
    payload.page === null ? null : load(known(pages[payload.page]?.load, payload.page)),
    ...payload.layouts.map((name) => load(known(layouts[name], name)))
  ])
  const view: View = {
    payload,
    search,
    page: page && { Component: page.default, clientOnly: page.clientOnly === true },
    layouts: around.map((layout) => layout!.default)
  }
  if (entering) await (await load(entering)).enter(view, page)
  return view
}

function known<Loader>(loader: Loader | undefined, name: string): Loader {
  if (!loader) throw new Error(`This build has no ${name}`)
  return loader
}

/**
 * What has been loaded, by what loaded it. To `import()` it again takes the browser some tasks of its own, in which it
 * may draw the old page once more: the new one would be a frame late.
 */
const loaded = new Map<Loader<unknown>, unknown>()

type Loader<Module> = () => Promise<Module>

function load<Module>(loader: Loader<Module>): Module | Promise<Module> {
  const ready = loaded.get(loader) as Module | undefined
  if (ready) return ready
  return loader().then((module) => {
    loaded.set(loader, module)
    return module
  })
}
