import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The id a build gave itself.
 * @param dist the folder the build wrote
 * @param command that builds, for the message
 * @throws Error that says what to run, where there is no build
 */
export function readBuildId(dist: string, command = 'npm run build'): string {
  try {
    return (JSON.parse(readFileSync(join(dist, 'build.json'), 'utf8')) as { id: string }).id
  } catch (cause) {
    throw new Error(`There is no finished build in ${dist}: run "${command}"`, { cause })
  }
}
