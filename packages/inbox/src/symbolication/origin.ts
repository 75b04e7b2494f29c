import { join, posix, relative } from 'node:path'
import { MAX_NAME_LENGTH } from './limits.ts'

/**
 * Folder of Hull's packages: `packages` of the repository, or `node_modules/@hull`. Every stack has their functions
 * between those of a page. They are not own code: they do not explain an error, and an error's group would depend on
 * how it is called. Maps of a build name them by `node_modules/@hull/`.
 */
const HULL_PACKAGES = join(import.meta.dirname, '../../..')
const HULL_FILE = /^(common|shell|monitoring|inbox)[\\/](?:src|dist)[\\/]/

/** The owner of a file: the team or a package. */
export interface Origin {
  /** Path in the project: `client/pages/index.tsx`, `node_modules/react-dom/…`. */
  file: string
  inApp: boolean
  package?: string
}

/**
 * Returns the origin of a source in a map.
 * @param map path of the map in the folder of maps; it has the same depth as its code has in the build. Undefined for an
 *   uploaded map: where its build was is unknown, and the leading `../` say nothing.
 * @param source path in the map, relative to the code
 * @param ignored whether the map's `ignoreList` contains the source
 */
export function originOfSource(map: string | undefined, source: string, ignored: boolean): Origin {
  // Bundlers prefix virtual modules with NUL.
  const isVirtual = source.startsWith('\0')
  // eslint-disable-next-line no-control-regex
  const clean = source.replaceAll(/[\0-\x1f\x7f]/g, '').replaceAll('\\', '/')
  if (map === undefined) return originOfUploaded(clean, ignored || isVirtual)
  const isUrl = /^[a-z][a-z0-9+.-]*:/i.test(clean)
  const path = isUrl ? clean : posix.join('dist', posix.dirname(map), clean)
  return originOfFile(path, { ignored: ignored || isVirtual || isUrl })
}

/**
 * webpack and its kin name sources by URLs: `webpack://shop/./src/cart.ts?3f9c`, `webpack://shop/webpack/bootstrap`,
 * `turbopack:///[project]/src/cart.ts`.
 */
const BUNDLER_URL = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[^/]*\/(?:\.\/|\[project\]\/)?/i
const BUNDLER_CODE = /^(?:webpack\/|external |https?:)/

function originOfUploaded(source: string, ignored: boolean): Origin {
  const isBundlers = BUNDLER_URL.test(source)
  const path = isBundlers ? source.replace(BUNDLER_URL, '').replace(/\?[\da-f]*$/, '') : source
  return originOfFile(path, { ignored: ignored || BUNDLER_CODE.test(path) })
}

/**
 * Returns the origin of a file.
 * @param path relative to the project
 * @param at absolute path, if the file is on this machine
 */
export function originOfFile(path: string, { ignored = false, at }: { ignored?: boolean; at?: string } = {}): Origin {
  const inPackages = path.lastIndexOf('node_modules/')
  // Packages may be anywhere, behind a link. Other files outside the project lose the leading `../`.
  const file = (inPackages === -1 ? path.replace(/^(?:\.{0,2}\/)+/, '') : path.slice(inPackages)).slice(
    0,
    MAX_NAME_LENGTH
  )
  const [, own] = (at !== undefined && HULL_FILE.exec(relative(HULL_PACKAGES, at))) || []
  if (own !== undefined) return { file, inApp: false, package: `@hull/${own}` }
  if (inPackages === -1) return { file, inApp: !ignored && file !== '' }
  const [scope = '', name = ''] = file.slice('node_modules/'.length).split('/')
  return { file, inApp: false, package: scope.startsWith('@') ? `${scope}/${name}` : scope }
}
