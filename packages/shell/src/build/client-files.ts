import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Module that gives the function of `client/browser.ts`, or undefined where there is no such file. */
export const BROWSER_START = 'hull:browser'

/** Writes the module behind {@link BROWSER_START}. @param root the client folder */
export function writeBrowserStart(root: string): string {
  const file = findFile(root, 'browser', ['ts', 'js'])
  return file ? `export { default } from ${JSON.stringify(`/${file}`)}\n` : 'export default undefined\n'
}

/** The name of a file with one of the endings, in order; undefined without one. */
export const findFile = (folder: string, name: string, endings: readonly string[]): string | undefined =>
  endings.map((ending) => `${name}.${ending}`).find((file) => existsSync(join(folder, file)))
