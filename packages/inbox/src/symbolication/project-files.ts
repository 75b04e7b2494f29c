import { readFileSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'
import { LRUCache } from 'lru-cache'
import { MAX_SOURCE_BYTES, MAX_SOURCES } from './limits.ts'
import { SourceText } from './source-lines.ts'

/** Files with code. Settings, keys and data are never read. */
const CODE = /\.[cm]?[jt]sx?$/

/** The project's own files. The server runs them without a build, so no source map contains their lines. */
export class ProjectFiles {
  /** The configured path, and its real path if that differs. */
  readonly #roots: string[]
  readonly #texts = new LRUCache<string, { text: SourceText | undefined }>({ max: MAX_SOURCES })

  /** @param root the project's folder */
  constructor(root: string) {
    this.#roots = [...new Set([root, realpathOf(root) ?? root])]
  }

  /** Returns a file's path in the project, with `/`; undefined if the file is outside. */
  locate(file: string): string | undefined {
    if (!isAbsolute(file)) return undefined
    for (const root of this.#roots) {
      const path = relative(root, file)
      if (path !== '' && !isAbsolute(path) && !path.split(sep).includes('..')) return path.replaceAll(sep, '/')
    }
    return undefined
  }

  /** Returns the text of a code file in the project; undefined for other files and for links that lead outside. */
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
