import { relative } from 'node:path'
import { normalizePath } from 'vite'
import type { PageRoot } from './roots.ts'
import { listFiles } from './site.ts'

/** What the server's half of the site imports to know its pages. */
export const SERVER_PAGES = 'hull:server-pages'

/**
 * Writes the module behind {@link SERVER_PAGES}: every page and layout by id, and for each its file and its root's prefix.
 * @param client the client folder: Vite's root, from which a build's manifest names files
 */
export function writeServerPages(roots: readonly PageRoot[], client: string): string {
  const imports: string[] = []
  const files: Record<string, { source: string; file: string; prefix: string }> = {}
  const listOf = (kind: 'pages' | 'layouts') => {
    const entries = listFiles(roots, kind).map(({ id, path, file, root: { prefix } }) => {
      files[id] = { source: normalizePath(relative(client, path)), file, prefix }
      const name = `module${imports.length}`
      imports.push(`import * as ${name} from ${JSON.stringify(path)}`)
      return `  ${JSON.stringify(id)}: ${name}`
    })
    return `export const ${kind} = {\n${entries.join(',\n')}\n}\n`
  }
  const lists = listOf('pages') + listOf('layouts')
  return `${imports.join('\n')}\n${lists}export const files = ${JSON.stringify(files)}\n`
}
