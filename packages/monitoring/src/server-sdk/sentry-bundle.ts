import { resolve } from 'node:path'

/**
 * The file that the build makes of `sentry-exports.ts`.
 * @param dist folder that the build writes
 */
export const bundleIn = (dist: string): string => resolve(dist, 'sdk/sentry.cjs')
