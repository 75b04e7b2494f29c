import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'

const PLACE = join(import.meta.dirname, '../../../.hull')

/**
 * Creates a new folder for use during a test. It is inside the project, so that a copy of the project finds its
 * packages. It is removed after everything started after it has ended; tap removes its own folders before it calls
 * teardowns.
 * @param files text by name
 */
export function createFolder(t: Test, files: Readonly<Record<string, string>> = {}): string {
  mkdirSync(PLACE, { recursive: true })
  const folder = mkdtempSync(join(PLACE, 'test-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}
