import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Virtual module with the function of `client/browser.ts`, or undefined if the file does not exist. */
export const BROWSER_START = 'hull:browser'

/**
 * Returns the code of {@link BROWSER_START}.
 * @param root the client folder
 */
export function writeBrowserStart(root: string): string {
  const file = findFile(root, 'browser', ['ts', 'js'])
  return file ? `export { default } from ${JSON.stringify(`/${file}`)}\n` : 'export default undefined\n'
}

/** Returns the file name with the first ending that exists; undefined if none does. */
export const findFile = (folder: string, name: string, endings: readonly string[]): string | undefined =>
  endings.map((ending) => `${name}.${ending}`).find((file) => existsSync(join(folder, file)))
