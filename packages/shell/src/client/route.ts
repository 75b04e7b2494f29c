import { createContext, use, useMemo } from 'react'
import type { DataOf, Params } from './contract.ts'
import type { View } from './view.tsx'

/** The view that is shown, for whoever asks below. */
export const ShownView = createContext<View | undefined>(undefined)

/** What {@link useRoute} gives. */
export interface Route<Path extends string = string, GetData = undefined> {
  /** The path shown, still encoded. */
  pathname: string
  /** Decoded path parameters. */
  params: string extends Path ? Record<string, string | string[]> : Params<Path>
  /** The query. A copy: changing it changes nothing. */
  search: URLSearchParams
  /** What the page's `getData` returned; null where an outcome or an error stands in the page's place. */
  data: DataOf<GetData>
}

/**
 * The route of the page shown: anywhere below a page or a layout, on both sides. While a navigation is under way this
 * is still the page it leaves.
 * @typeParam Path the page's address as its file name has it: `useRoute<'/items/[id]', typeof getData>()`
 */
export function useRoute<Path extends string = string, GetData = undefined>(): Route<Path, GetData> {
  const view = use(ShownView)
  if (!view) throw new Error('useRoute() is for components below a page or a layout')
  return useMemo(() => {
    const { pathname, params, data } = view.payload
    return { pathname, params, search: new URLSearchParams(view.search), data } as Route<Path, GetData>
  }, [view])
}
