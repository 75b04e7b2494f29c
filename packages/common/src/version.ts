import manifest from '../package.json' with { type: 'json' }

/** Version of Hull's packages, which are released together. */
export const HULL_VERSION: string = manifest.version
