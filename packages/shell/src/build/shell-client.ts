import { join } from 'node:path'
import { normalizePath } from 'vite'

/** Folder of this package's browser code and of both entries. */
const SHELL_CLIENT = normalizePath(join(import.meta.dirname, '../client'))

/** Entry of the server's bundle. */
export const SERVER_ENTRY = toShellModule('entry/index.ts')

/** Entry of the browser, `/$app/mount.ts` in client/index.html. */
export const BROWSER_ENTRY = toShellModule('entry/mount.ts')

/**
 * Whether a module belongs to the file of the framework: React, or browser code of this package other than its entry,
 * which imports the application.
 * @param id path with forward slashes
 */
export const isFrameworkModule = (id: string) =>
  REACT.test(id) || (id.startsWith(`${SHELL_CLIENT}/`) && id !== BROWSER_ENTRY)

const REACT = /\/node_modules\/(?:react|react-dom|scheduler)\//

/**
 * Returns the path of a browser module of this package: the source in the repository, the compiled file in a published
 * package.
 * @param file path from the client folder, with the source's ending
 */
export function toShellModule(file: string): string {
  const compiled = import.meta.filename.endsWith('.js')
  return `${SHELL_CLIENT}/${compiled ? file.replace(/\.ts(x?)$/, '.js$1') : file}`
}
