import manifest from '../../../package.json' with { type: 'json' }

/** The version of Hull that this clone stands on. */
export const HULL_VERSION: string = manifest.version
