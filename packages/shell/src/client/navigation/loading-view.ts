import { findPage, loadLayouts } from '../modules.ts'
import type { View } from '../view/view.tsx'

/**
 * Returns the view that is shown while a page is loading: the loading view of the page's nearest layout, inside the
 * layouts that the page shares with the shown one. The data of its other layouts is still loading.
 * @returns undefined if no layout of the page has a loading view
 * @throws Error if a layout's chunk cannot be loaded
 */
export async function createLoadingView({ pathname }: URL, shown: View): Promise<View | undefined> {
  const page = findPage(pathname)
  if (!page || page === 'malformed') return undefined
  const { payload, layouts } = shown
  const around = await loadLayouts(page.layouts)
  const LoadingView = around.findLast((layout) => layout.LoadingView)?.LoadingView
  if (!LoadingView) return undefined
  let shared = 0
  while (shared < layouts.length && payload.layouts[shared] === page.layouts[shared]) shared++
  return {
    payload: {
      ...payload,
      layouts: payload.layouts.slice(0, shared),
      layoutData: payload.layoutData.slice(0, shared)
    },
    search: shown.search,
    page: null,
    layouts: layouts.slice(0, shared),
    LoadingView
  }
}
