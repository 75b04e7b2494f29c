import { posix } from 'node:path'
import { MAX_NAME_LENGTH } from './limits.ts'

/**
 * Hull's own packages as workspaces. Their functions stand between those of a page on every stack: they do not tell what
 * went wrong, and an error would change its group with the way it is called.
 */
const SHELL = /^packages\/(common|shell|monitoring|inbox)\/src\//

/** Whose code a file is. */
export interface Origin {
  /** As the project has it: `client/pages/index.tsx`, `node_modules/react-dom/…`. */
  file: string
  inApp: boolean
  package?: string
}

/**
 * Says whose code a source of a map is.
 * @param map path of the map below the folder of maps, which is as deep in the build as its code
 * @param source as the map has it, relative to the code
 * @param ignored whether the map's `ignoreList` has it
 */
export function originOf(map: string, source: string, ignored: boolean): Origin {
  // What bundlers make up begins with NUL.
  const isVirtual = source.startsWith('\0')
  // eslint-disable-next-line no-control-regex
  const clean = source.replaceAll(/[\0-\x1f\x7f]/g, '').replaceAll('\\', '/')
  const isUrl = /^[a-z][a-z0-9+.-]*:/i.test(clean)
  const path = isUrl ? clean : posix.join('dist', posix.dirname(map), clean)
  return describe(path, ignored || isVirtual || isUrl)
}

/** Says whose code a file is. @param path relative to the project */
export function describe(path: string, ignored = false): Origin {
  const inPackages = path.lastIndexOf('node_modules/')
  // Packages may lie anywhere, behind a link; whatever else is outside keeps its name and nothing of the way to it.
  const file = (inPackages === -1 ? path.replace(/^(?:\.{0,2}\/)+/, '') : path.slice(inPackages)).slice(
    0,
    MAX_NAME_LENGTH
  )
  const own = inPackages === -1 ? SHELL.exec(file) : null
  if (own) return { file, inApp: false, package: `@hull/${own[1]}` }
  if (inPackages === -1) return { file, inApp: !ignored && file !== '' }
  const [scope = '', name = ''] = file.slice('node_modules/'.length).split('/')
  return { file, inApp: false, package: scope.startsWith('@') ? `${scope}/${name}` : scope }
}
