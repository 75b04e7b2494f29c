import { readFileSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'
import { LRUCache } from 'lru-cache'
import { MAX_SOURCE_BYTES, MAX_SOURCES } from './limits.ts'
import { SourceText } from './source-lines.ts'

/** Files that hold code: never settings, keys or data. */
const CODE = /\.[cm]?[jt]sx?$/

/** The project's own files: the server runs them as they are written, so that no map has their lines. */
export class ProjectFiles {
  /** As it is called, and where links lead from there. */
  readonly #roots: string[]
  readonly #texts = new LRUCache<string, { text: SourceText | undefined }>({ max: MAX_SOURCES })

  /** @param root the project's folder */
  constructor(root: string) {
    this.#roots = [...new Set([root, realpathOf(root) ?? root])]
  }

  /** A file's path in the project, with `/`; undefined for what lies elsewhere. */
  locate(file: string): string | undefined {
    if (!isAbsolute(file)) return undefined
    for (const root of this.#roots) {
      const path = relative(root, file)
      if (path !== '' && !isAbsolute(path) && !path.split(sep).includes('..')) return path.replaceAll(sep, '/')
    }
    return undefined
  }

  /** What is in a file of code in the project; undefined for any other, also where a link leads outside. */
  read(file: string): SourceText | undefined {
    const known = this.#texts.get(file)
    if (known !== undefined) return known.text
    const text = this.#read(file)
    this.#texts.set(file, { text })
    return text
  }

  #read(file: string): SourceText | undefined {
    if (!CODE.test(file) || file.includes('\0')) return undefined
    const path = realpathOf(file)
    if (path === undefined || !CODE.test(path)) return undefined
    const place = this.locate(path)
    if (place === undefined || place.split('/').some((part) => part.startsWith('.'))) return undefined
    try {
      const stats = statSync(path)
      if (!stats.isFile() || stats.size > MAX_SOURCE_BYTES) return undefined
      return new SourceText(readFileSync(path, 'utf8'))
    } catch {
      return undefined
    }
  }
}

function realpathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
