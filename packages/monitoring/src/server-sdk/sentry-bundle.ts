import { resolve } from 'node:path'

/**
 * Path of the file that the build creates from `sentry-exports.ts`.
 * @param dist output folder of the build
 */
export const bundleIn = (dist: string): string => resolve(dist, 'sdk/sentry.cjs')
