import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The id a build gave itself.
 * @param dist the folder the build wrote
 * @throws Error that says what to run, where there is no build
 */
export function readBuildId(dist: string): string {
  try {
    return (JSON.parse(readFileSync(join(dist, 'build.json'), 'utf8')) as { id: string }).id
  } catch (cause) {
    throw new Error(`There is no finished build in ${dist}: run "npm run build"`, { cause })
  }
}
