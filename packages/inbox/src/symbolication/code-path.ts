import type { Side } from '../store/model.ts'

/** Characters of a file name that is looked at. */
const MAX_LENGTH = 2048

export interface CodePath {
  path: string
  /** Which half of a build it is looked for in. */
  half: 'client' | 'server'
  /** Of a URL. */
  origin?: string
}

/** Where the code of a frame is, by what a stack calls it; undefined for `data:`, `blob:` and all else that is no file. */
export function toCodePath(file: string, side: Side): CodePath | undefined {
  if (file.length > MAX_LENGTH) return undefined
  const [, origin, scheme, rest] = /^((https?|app|file):\/\/[^/?#]*)([^?#]*)/i.exec(file) ?? []
  if (origin === undefined) {
    // One letter is a drive.
    if (/^[a-z][a-z0-9+.-]+:/i.test(file)) return undefined
    const path = file.replaceAll('\\', '/')
    return { path, half: side === 'browser' ? 'client' : 'server' }
  }
  const path = decode(rest!)
  if (path === undefined) return undefined
  if (scheme!.toLowerCase().startsWith('http')) return { path, half: 'client', origin }
  if (side === 'browser' && scheme!.toLowerCase() === 'file') return undefined
  return { path, half: side === 'browser' ? 'client' : 'server' }
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
