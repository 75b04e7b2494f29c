import { createContext, use, useMemo } from 'react'
import type { DataOf, Params } from '../contracts/context.ts'
import type { View } from './view.tsx'

/** The shown view, for components below it. */
export const ShownView = createContext<View | undefined>(undefined)

/** Return value of {@link useRoute}. */
export interface Route<Path extends string = string, GetData = undefined> {
  /** Current path, encoded. */
  pathname: string
  /** Decoded path parameters. */
  params: string extends Path ? Record<string, string | string[]> : Params<Path>
  /** Query, as a copy. */
  search: URLSearchParams
  /** Return value of the page's `getData`; null if an outcome or an error is shown instead of the page. */
  data: DataOf<GetData> | null
}

/**
 * Returns the route of the current page, on the server and in the browser, in any component of a page or layout. During
 * a navigation, the current page is the one that the navigation leaves.
 * @typeParam Path the page's address as in its file name: `useRoute<'/items/[id]', typeof getData>()`
 */
export function useRoute<Path extends string = string, GetData = undefined>(): Route<Path, GetData> {
  const view = use(ShownView)
  if (!view) throw new Error('useRoute() is for components below a page or a layout')
  return useMemo(() => {
    const { pathname, params, data } = view.payload
    return { pathname, params, search: new URLSearchParams(view.search), data } as Route<Path, GetData>
  }, [view])
}
