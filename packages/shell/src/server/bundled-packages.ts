/** Output of the build that `@hull/shell/start` reads. */
export interface BundledPackages {
  /** Version of the packages that were bundled. */
  version: string
  /** Paths of bundled modules by those of the modules that they replace, relative to the project, with forward slashes. */
  entries: Record<string, string>
}

/** Folder of the bundled packages, in the output folder of the build. */
export const PACKAGES_FOLDER = 'packages'

/** File with {@link BundledPackages} in that folder. */
export const PACKAGES_LIST = 'list.json'
