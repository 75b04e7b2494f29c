import { join, posix, relative } from 'node:path'
import { MAX_NAME_LENGTH } from './limits.ts'

/**
 * Hull's packages, of which this is one: in `packages` of the repository, or in `node_modules/@hull`. Their functions
 * stand between those of a page on every stack: they do not tell what went wrong, and an error would change its group
 * with the way it is called. In maps the build names them by `node_modules/@hull/`.
 */
const HULL = join(import.meta.dirname, '../../..')
const HULL_FILE = /^(common|shell|monitoring|inbox)[\\/](?:src|dist)[\\/]/

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
  return describe(path, { ignored: ignored || isVirtual || isUrl })
}

/**
 * Says whose code a file is.
 * @param path relative to the project
 * @param at where the file is on this machine, if it is
 */
export function describe(path: string, { ignored = false, at }: { ignored?: boolean; at?: string } = {}): Origin {
  const inPackages = path.lastIndexOf('node_modules/')
  // Packages may lie anywhere, behind a link; whatever else is outside keeps its name and nothing of the way to it.
  const file = (inPackages === -1 ? path.replace(/^(?:\.{0,2}\/)+/, '') : path.slice(inPackages)).slice(
    0,
    MAX_NAME_LENGTH
  )
  const [, own] = (at !== undefined && HULL_FILE.exec(relative(HULL, at))) || []
  if (own !== undefined) return { file, inApp: false, package: `@hull/${own}` }
  if (inPackages === -1) return { file, inApp: !ignored && file !== '' }
  const [scope = '', name = ''] = file.slice('node_modules/'.length).split('/')
  return { file, inApp: false, package: scope.startsWith('@') ? `${scope}/${name}` : scope }
}
