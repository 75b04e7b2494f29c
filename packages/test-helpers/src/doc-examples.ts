import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { createFolder } from './folder.ts'

const PROJECT = join(import.meta.dirname, '../../..')

/** Files of the application that a server needs, besides the build. */
const SERVER_FILES = ['server.ts', 'config.ts', 'plugins', 'routes', 'package.json']

/** Writes the examples of a document, each to the file that its first line names. */
export function writeExamples(document: string, folder: string): void {
  const text = readFileSync(join(PROJECT, document), 'utf8')
  for (const [, path, code] of text.matchAll(/^```tsx?\n\/\/ (\S+)\n([^]*?)^```$/gm)) {
    const target = join(folder, path!)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, code!)
  }
}

/**
 * Copies the server of the application, with the examples of a document and the project's own build.
 * @param plugins example files in `plugins/`, without their ending, and their options: server.ts registers them before
 * the routes
 * @returns the folder
 */
export function copyWithExamples(t: Test, document: string, plugins: Readonly<Record<string, object>> = {}): string {
  const root = createFolder(t)
  for (const name of SERVER_FILES) cpSync(join(PROJECT, name), join(root, name), { recursive: true })
  symlinkSync(join(PROJECT, 'dist'), join(root, 'dist'))
  writeExamples(document, root)
  const lines = Object.entries(plugins)
    .map(([name, options]) => `  await app.register(import('./plugins/${name}.ts'), ${JSON.stringify(options)})\n`)
    .join('')
  const server = readFileSync(join(root, 'server.ts'), 'utf8')
  writeFileSync(join(root, 'server.ts'), server.replace(/^ {2}await app\.register\(routes,/m, `${lines}$&`))
  return root
}
