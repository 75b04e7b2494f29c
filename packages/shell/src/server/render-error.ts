import { readFileSync } from 'node:fs'
import type { ErrorPayload } from 'vite'
import { attempt } from '@hull/common/attempt.ts'
import { toReadableError } from '@hull/common/readable-error.ts'
import { readFrames, toRelative, type Place } from './stack-frames.ts'

/** Errors of Vite have their place in a property. */
interface ViteError extends Error {
  loc?: { file?: string; line: number; column: number }
  id?: string
}

/**
 * Renders an error for a developer: first the place in the application's own source, then the message, the lines around
 * the place, the application's frames, and the causes.
 * @param root the project's folder; paths are relative to it
 */
export function renderError(root: string, thrown: unknown): string {
  return renderWith(root, (file) => toRelative(root, file), thrown)
}

/** Describes an error for the overlay of Vite, which makes links of absolute paths. */
export function toOverlayError(root: string, thrown: unknown): ErrorPayload['err'] {
  const nameOf = (file: string) => file
  const { error, place, stack } = describeError(root, nameOf, thrown)
  const frame = place && renderLines(place)
  // The overlay has the place below the message: the rest of a long message follows the place.
  const [title, ...rest] = `${error.name}: ${error.message}`.split('\n')
  return {
    message: title!,
    stack: [...rest, ...stack].join('\n'),
    // The overlay expects that each line of the frame ends with a line break.
    ...(place && { loc: place, frame: frame && `${frame}\n` })
  }
}

type NameFile = (file: string) => string

function renderWith(root: string, nameOf: NameFile, thrown: unknown, depth = 0): string {
  const { error, place, stack } = describeError(root, nameOf, thrown, depth)
  const lines = [
    place && describePlace(nameOf, place),
    `${error.name}: ${error.message}`,
    place && renderLines(place),
    ...stack
  ]
  return lines.filter(Boolean).join('\n')
}

function describeError(root: string, nameOf: NameFile, thrown: unknown, depth = 0) {
  const error = toReadableError(thrown) as ViteError
  const frames = readFrames(error.stack ?? '')
  const own = frames.filter(({ file }) => isOwn(root, file))
  const folded = frames.length - own.length
  const stack = own.map((frame) => `    at ${frame.name}${describePlace(nameOf, frame)}`)
  if (folded > 0) stack.push(`    … ${folded} frames of Hull, Node and packages`)
  if (error.cause !== undefined && depth < MAX_CAUSES)
    stack.push(`Cause: ${renderWith(root, nameOf, error.cause, depth + 1)}`)
  return { error, place: placeOf(error) ?? own[0], stack }
}

/** Causes to render. A guess; it also ends a cycle. */
const MAX_CAUSES = 5

function placeOf({ loc, id }: ViteError): Place | undefined {
  const file = loc?.file ?? id
  return loc && file !== undefined ? { ...loc, file: file.split('?', 1)[0]! } : undefined
}

const describePlace = (nameOf: NameFile, { file, line, column }: Place) => `${nameOf(file)}:${line}:${column}`

/** Whether a file is below the project's folder, and in no package. */
function isOwn(root: string, file: string): boolean {
  return !file.startsWith('node:') && !FOREIGN.test(toRelative(root, file))
}

const FOREIGN = /^\.\.\/|^packages\/|(?:^|\/)node_modules\//

/** Lines before and after the place. */
const CONTEXT = 2

/** Renders the lines around a place; empty if the file cannot be read. */
function renderLines({ file, line, column }: Place): string {
  const text = attempt(() => readFileSync(file, 'utf8'))
  if (text === undefined) return ''
  const first = Math.max(1, line - CONTEXT)
  const width = String(line + CONTEXT).length
  const rows = text.split('\n').slice(first - 1, line + CONTEXT)
  return rows
    .flatMap((row, at) => {
      const number = String(first + at).padStart(width)
      if (first + at !== line) return [`  ${number} | ${row}`]
      return [`> ${number} | ${row}`, `  ${' '.repeat(width)} | ${' '.repeat(Math.max(0, column - 1))}^`]
    })
    .join('\n')
}
