/** Exports of @hull/shell for vite.config.ts. */
export { hull, type HullOptions } from './build/hull.ts'
export type { PageRootOptions } from './build/roots.ts'
