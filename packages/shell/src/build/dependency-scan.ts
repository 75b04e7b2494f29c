import { join, relative } from 'node:path'
import { normalizePath, type DepOptimizationOptions } from 'vite'
import { SERVER_EXPORTS } from './contract.ts'
import { findRoot, type PageRoot } from './roots.ts'
import { BROWSER_ENTRY } from './shell-client.ts'
import { stripExports } from './strip-exports.ts'

/**
 * Lets Vite find the packages of all pages before the first is opened: one that is found later makes Vite bundle again
 * and reload open tabs, which for a moment have two Reacts. Vite scans sources as they are written, so the server's half
 * of each page is taken out here too.
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
                // Shown when the file is asked for; the other files are scanned all the same.
                return 'export default null'
              }
            }
          }
        }
      ]
    }
  }
}
