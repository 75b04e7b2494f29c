import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Files that the server reads once, at its start. Vite updates everything in client/. */
const WATCHED = ['server.ts', 'config.ts', 'vite.config.ts', 'plugins', 'routes', 'packages']

/**
 * Node's arguments for `npm run dev`: Node restarts the server when a file that it has read changes. After an error at
 * the start Node waits for the next change.
 * @param {string} root the project's folder
 */
export function toDevArgs(root) {
  const watch = WATCHED.filter((path) => existsSync(join(root, path))).map((path) => `--watch-path=${join(root, path)}`)
  return [...watch, '--watch-preserve-output', 'server.ts', '--dev']
}
