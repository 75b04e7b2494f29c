import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, relative, sep } from 'node:path'
import { parsePattern } from '../routing/check-pattern.ts'
import { fileRoutesOf, layoutName, type Site } from './site.ts'

/**
 * Writes a type-only file that checks every page and layout against the contract: props that do not match getData, a
 * wrong parameter, or a flag of the wrong type become type errors. Does not write an unchanged file.
 * @param file output file
 */
export function writePageTypes(file: string, { pages, layouts }: Site): void {
  const fileRoutes = fileRoutesOf(pages)
  const toFile = (path: string) => relative(dirname(file), path).replaceAll(sep, '/')
  const lines = [
    '// Made by the build from the files of its page roots. Not for editing.',
    `import type * as contract from '@hull/shell/client'`,
    '',
    ...pages.map(
      ({ id, path }, at) =>
        `export type Page${at} = contract.CheckPage<'${parsePattern(id, fileRoutes.get(id)).path}', typeof import('${toFile(path)}')>`
    ),
    ...layouts.map(
      ({ path }, at) => `export type Layout${at} = contract.CheckLayout<typeof import('${toFile(path)}')>`
    ),
    `export type LayoutName = ${layouts.map(({ id }) => `'${layoutName(id)}'`).join(' | ') || 'never'}`,
    ''
  ]
  const text = lines.join('\n')
  if (readIfExists(file) === text) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
