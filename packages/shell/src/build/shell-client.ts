import { join } from 'node:path'
import { normalizePath } from 'vite'

/** The folder of this package's browser code and of both entries. */
export const SHELL_CLIENT = normalizePath(join(import.meta.dirname, '../client'))

/** The server's entry, from which the server's bundle is built. */
export const SERVER_ENTRY = toShellModule('entry/index.ts')

/** The browser's entry, `/$app/mount.ts` in client/index.html. */
export const BROWSER_ENTRY = toShellModule('entry/mount.ts')

/**
 * Path of a module of this package's browser code: the source in the repository, the compiled module in a published package.
 * @param file from the client folder, with the ending of the source
 */
export function toShellModule(file: string): string {
  const compiled = import.meta.filename.endsWith('.js')
  return `${SHELL_CLIENT}/${compiled ? file.replace(/\.ts(x?)$/, '.js$1') : file}`
}
