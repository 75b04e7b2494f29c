import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Place {
  file: string
  line: number
  column: number
}

const FRAME = /^ {4}at (?:(.*) \()?((?:file:|node:|\/|[A-Za-z]:[\\/]).*?):(\d+):(\d+)\)?$/gm

/** Reads the frames of a stack of Node. */
export function readFrames(stack: string): Array<Place & { name: string }> {
  return [...stack.matchAll(FRAME)].map(([, name, file = '', line, column]) => ({
    name: name ? `${name} in ` : '',
    file: file.startsWith('file:') ? fileURLToPath(file) : file,
    line: Number(line),
    column: Number(column)
  }))
}

/** Returns the path of a file relative to a folder, with slashes. */
export const toRelative = (root: string, file: string) => relative(root, file).split(sep).join('/')
