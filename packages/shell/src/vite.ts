/** What vite.config.ts imports of @hull/shell. */
export { hull, type HullOptions } from './build/hull.ts'
export type { PageRootOptions } from './build/roots.ts'
