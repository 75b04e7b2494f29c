import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BuildPlace } from '../errors.ts'

/** Name of the file in `dist` with a {@link Build}, written when both halves are complete. No server starts without it. */
export const BUILD_FILE = 'build.json'

/**
 * Name of the file in `dist/client` with the paths of the files of `client/public/assets/`, if there are any. They are
 * beside the build's own files, but keep their names when their content changes.
 */
export const PUBLIC_ASSETS_FILE = '.vite/public-assets.json'

/** Properties of a build that the server needs. */
export interface Build {
  id: string
  /** Prefix of all addresses; empty at the root of the origin. */
  basePath: string
  /** Origin and path of the built files, if another server has them. */
  assetsUrl?: string
}

/** Settings that the build reads too. */
export interface BuildSettings {
  basePath?: string
  assetsUrl?: string
}

/**
 * Reads the properties of a build.
 * @param dist output folder of the build
 * @param settings BASE_PATH and ASSETS_URL at the start; those of the build are used if they are not set
 * @param command builds; the error names it. @default 'npm run build'
 * @throws Error with the command to run if there is no build
 * @throws BuildPlace if a setting differs from the build's
 */
export function readBuild(dist: string, settings: BuildSettings = {}, command = 'npm run build'): Build {
  const build = readFile(dist, command)
  const { basePath = build.basePath, assetsUrl = build.assetsUrl } = settings
  if (basePath !== build.basePath) throw new BuildPlace('BASE_PATH', basePath, build.basePath || 'none')
  if (assetsUrl !== build.assetsUrl) throw new BuildPlace('ASSETS_URL', assetsUrl!, build.assetsUrl ?? 'none')
  return build
}

function readFile(dist: string, command: string): Build {
  try {
    return JSON.parse(readFileSync(join(dist, BUILD_FILE), 'utf8')) as Build
  } catch (cause) {
    throw new Error(`There is no finished build in ${dist}: run "${command}"`, { cause })
  }
}
