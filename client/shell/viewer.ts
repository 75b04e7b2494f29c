import type { Viewer } from '../root.tsx'
import { loadView } from './modules.ts'
import { fetchPageData } from './page-data.ts'
import type { View } from './view.tsx'

/** Shows views in the hydrated root. Client-side navigation stands on the same `show`. */
export function createViewer(initial: View): Viewer {
  const { build } = initial.payload
  let show: ((view: View) => void) | undefined

  return {
    attach(fn) {
      show = fn
    },
    retry() {
      void reload()
    }
  }

  async function reload() {
    try {
      const payload = await fetchPageData(location.pathname + location.search)
      if (payload?.build === build && show) return show(await loadView(payload))
    } catch {
      // offline, or a chunk of a build that is gone: the document says more than we could
    }
    location.reload()
  }
}
