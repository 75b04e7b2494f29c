import { fileURLToPath } from 'node:url'

/** The file that the build makes of `sentry-exports.ts`. */
export const BUNDLE = fileURLToPath(new URL('../../../../dist/sdk/sentry.cjs', import.meta.url))
