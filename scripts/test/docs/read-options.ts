import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')

/**
 * An interface of options that a README documents.
 */
export interface OptionsSource {
  /** Path relative to the project's folder. */
  file: string
  /** Name of the interface. */
  name: string
  /** Documented members. @default all members */
  only?: readonly string[]
}

/** Rows of a README's table of options: name, first sentence of the docstring, default. */
export function toOptionRows({ file, name, only }: OptionsSource): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const [, body] = new RegExp(`export interface ${name}\\b[^{]*\\{\\n([^]*?)\\n\\}`).exec(text) ?? []
  if (body === undefined) throw new Error(`${file} has no interface ${name}`)
  return [...body.matchAll(/(?:^ {2}\/\*\*([^]*?)\*\/\n)?^ {2}(\w+)(\??):/gm)]
    .filter(([, , member]) => only === undefined || only.includes(member!))
    .map(([, comment = '', member, optional]) => toRow(comment, member!, optional === '?'))
}

function toRow(comment: string, name: string, isOptional: boolean): string {
  const text = comment.replace(/\s*\n\s*\* ?/g, ' ').trim()
  const [meaning, fallback] = text.split(/\s*@default\s*/) as [string, string?]
  const [sentence] = /^[^]*?[.;](?= [A-Z]|$)|^[^]*$/.exec(meaning)!
  const otherwise = fallback ?? (isOptional ? 'none' : 'required')
  return `| \`${name}\` | ${sentence.replace(/;$/, '.').replaceAll('|', '\\|')} | ${otherwise} |`
}
