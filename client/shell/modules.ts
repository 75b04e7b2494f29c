import type { PagePayload } from '../../lib/common/payload.ts'
import type { LayoutModule, PageModule } from './contract.ts'
import type { View } from './view.tsx'

const pages = import.meta.glob<PageModule>('/pages/**/*.tsx')
const layouts = import.meta.glob<LayoutModule>('/layouts/**/*.tsx')

/** Whether this build has the page. */
export const hasPage = (id: string): boolean => id in pages

/**
 * Loads the chunks a payload needs, page and layouts side by side.
 * @throws Error when this build has no such page or layout, or a chunk cannot be loaded
 */
export async function loadView(payload: PagePayload): Promise<View> {
  const [page, ...around] = await Promise.all([
    payload.page === null ? null : load(pages, payload.page),
    ...payload.layouts.map((name) => load(layouts, `/layouts/${name}.tsx`))
  ])
  return {
    payload,
    page: page && { Component: page.default, clientOnly: page.clientOnly === true },
    layouts: around.map((layout) => layout!.default)
  }
}

function load<Module>(modules: Record<string, () => Promise<Module>>, id: string): Promise<Module> {
  const module = modules[id]
  if (!module) throw new Error(`This build has no ${id}`)
  return module()
}
