/** List of source maps that the build writes and the inbox reads. */

/** Name of the file with the list, next to the maps. */
export const MAP_LIST = 'index.json'

/** Key in a map for the named functions of each source: `{ names, ranges }`, or null. */
export const MAP_FUNCTIONS = 'x_hull_functions'

export interface MapEntry {
  /**
   * File that the map belongs to, below the build's folder: `client/assets/index-Cqq41uWn.js`. The map's name is the
   * same with `.map`, and that of the compressed map with `.map.zst`.
   */
  file: string
  /** UUID calculated from the map's content. */
  debugId: string
  /** Bytes of the map. */
  size: number
  /** SHA-256 of the compressed map, in hexadecimal digits. */
  hash: string
}
