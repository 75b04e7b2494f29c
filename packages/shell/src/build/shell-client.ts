import { join } from 'node:path'
import { normalizePath } from 'vite'

/** The folder of this package's browser code and of both entries. */
export const SHELL_CLIENT = normalizePath(join(import.meta.dirname, '../client'))

/** The server's entry, from which the server's bundle is built. */
export const SERVER_ENTRY = `${SHELL_CLIENT}/entry/index.ts`

/** The browser's entry, `/$app/mount.ts` in client/index.html. */
export const BROWSER_ENTRY = `${SHELL_CLIENT}/entry/mount.ts`
