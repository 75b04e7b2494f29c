import type { Plugin } from 'vite'
import { toShellModule } from './shell-client.ts'

export interface PlaceOptions {
  basePath: string
  assetsUrl: string | undefined
}

/** Returns Vite's `base`: the address in front of the names of built files. */
export const toViteBase = ({ basePath, assetsUrl }: PlaceOptions): string => `${assetsUrl ?? basePath}/`

/**
 * Builds the pages for a base path: links and forms of both sides get the prefix when React creates them.
 * @see docs/decisions/078-base-path.md
 */
export function basePathPlugin({ basePath }: PlaceOptions): Plugin {
  const runtime = toShellModule('jsx-runtime.ts')
  return {
    name: 'hull-base-path',
    enforce: 'pre',
    apply: 'build',
    config: () => ({ define: { HULL_BASE_PATH: JSON.stringify(basePath) } }),
    resolveId(source, importer) {
      return basePath && source === 'react/jsx-runtime' && importer !== runtime ? runtime : undefined
    }
  }
}
