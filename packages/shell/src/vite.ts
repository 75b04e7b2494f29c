/** Exports of @hull/shell for vite.config.ts. */
export { bundlePackages, type BundlePackagesOptions } from './build/packages/bundle-packages.ts'
export { hull, type HullOptions } from './build/hull.ts'
export type { PageRootOptions } from './build/pages/roots.ts'
