import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Reads the id of a build.
 * @param dist output folder of the build
 * @param command that builds, for the message
 * @throws Error with the command to run if there is no build
 */
export function readBuildId(dist: string, command = 'npm run build'): string {
  try {
    return (JSON.parse(readFileSync(join(dist, 'build.json'), 'utf8')) as { id: string }).id
  } catch (cause) {
    throw new Error(`There is no finished build in ${dist}: run "${command}"`, { cause })
  }
}
