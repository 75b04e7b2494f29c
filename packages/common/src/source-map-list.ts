/** What the build says of its source maps, and the inbox reads. */

/** Name of the file with the list, beside the maps. */
export const MAP_LIST = 'index.json'

/** Key in a map under which the build keeps the named functions of each source: `{ names, ranges }`, or null. */
export const MAP_FUNCTIONS = 'x_hull_functions'

export interface MapEntry {
  /** What it is the map of, below the build's folder: `client/assets/index-Cqq41uWn.js`. Its own name has `.map` behind that. */
  file: string
  /** UUID by what is in the map. */
  debugId: string
  /** Bytes. */
  size: number
}
