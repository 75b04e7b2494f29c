import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { parsePattern } from '../routing/check-pattern.ts'
import { fileRoutesOf, layoutName, type Site } from './site.ts'

const HEADER = '// Made by the build from the files of its page roots. Not for editing.'

/**
 * Writes two type-only files. `pages.ts` checks every page and layout against the contract: props that do not match
 * getData, a wrong parameter, or a flag of the wrong type become type errors. `hrefs.ts` lists the addresses of the
 * pages, so that a link to any other path is a type error. Does not write an unchanged file.
 * @param folder output folder
 */
export function writePageTypes(folder: string, { pages, layouts }: Site): void {
  const fileRoutes = fileRoutesOf(pages)
  const file = join(folder, 'pages.ts')
  const pathOf = (id: string) => parsePattern(id, fileRoutes.get(id)).path
  const toFile = (path: string) => relative(dirname(file), path).replaceAll(sep, '/')
  const lines = [
    HEADER,
    `import type * as contract from '@hull/shell/client'`,
    '',
    ...pages.map(
      ({ id, path }, at) =>
        `export type Page${at} = contract.CheckPage<${quote(pathOf(id))}, typeof import(${quote(toFile(path))})>`
    ),
    ...layouts.map(
      ({ path }, at) => `export type Layout${at} = contract.CheckLayout<typeof import(${quote(toFile(path))})>`
    ),
    `export type LayoutName = ${layouts.map(({ id }) => quote(layoutName(id))).join(' | ') || 'never'}`,
    ''
  ]
  writeIfChanged(file, lines)
  writeIfChanged(join(folder, 'hrefs.ts'), [
    HEADER,
    'export {}',
    '',
    `declare module '@hull/shell/client' {`,
    '  interface PagePaths {',
    ...pages.map(({ id }) => `    ${quote(pathOf(id))}: true`),
    '  }',
    '}',
    ''
  ])
}

/** A file name may have an apostrophe. */
const quote = (text: string) => `'${text.replaceAll("'", "\\'")}'`

function writeIfChanged(file: string, lines: string[]): void {
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
