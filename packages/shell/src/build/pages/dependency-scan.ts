import { join, relative } from 'node:path'
import { normalizePath, type DepOptimizationOptions } from 'vite'
import { SERVER_EXPORTS } from './contract.ts'
import { findRoot, type PageRoot } from './roots.ts'
import { BROWSER_ENTRY } from '../shell-client.ts'
import { stripExports } from './strip-exports.ts'

/**
 * Lets Vite find the packages of all pages before the first page is opened. If Vite finds one later, it bundles again
 * and reloads open tabs, which have two Reacts for a moment. Vite scans the original sources, so the server's half of
 * each page is removed here too.
 */
export function scanForDependencies(
  roots: readonly PageRoot[]
): Pick<DepOptimizationOptions, 'entries' | 'rolldownOptions'> {
  const client = roots[0]!.folder
  const isPage = (id: string) => /^\/(?:pages|layouts)\//.test(findRoot(roots, normalizePath(id))?.path ?? '')
  return {
    entries: [
      BROWSER_ENTRY,
      'browser.{ts,js}',
      'fallbacks/**/*.{tsx,jsx}',
      ...roots.map(({ folder }) => normalizePath(join(relative(client, folder), '{pages,layouts}/**/*.{tsx,jsx}')))
    ],
    rolldownOptions: {
      plugins: [
        {
          name: 'hull-scan',
          transform: {
            filter: { id: /\.[jt]sx$/ },
            handler(code, id) {
              if (!isPage(id)) return
              try {
                return stripExports(id, code, SERVER_EXPORTS)
              } catch {
                // The error is shown when the file is requested. The other files are still scanned.
                return 'export default null'
              }
            }
          }
        }
      ]
    }
  }
}
