import { join } from 'node:path'
import viteFastifyReact from '@fastify/react/plugin'
import react from '@vitejs/plugin-react'
import type { UserConfig } from 'vite'
import { NONCE_PLACEHOLDER } from '../render/template.ts'
import { finishBuild } from './finish.ts'
import { pagesPlugin } from './pages-plugin.ts'

export interface SiteFolders {
  /** The project's folder: the one with `client/` in it. */
  root: string
  /** Where the build goes. @default `dist` below the root */
  dist?: string
}

/** Vite's configuration for a Hull site. */
export function createViteConfig ({ root, dist = join(root, 'dist') }: SiteFolders): UserConfig {
  const client = join(root, 'client')
  return {
    root: client,
    plugins: [
      pagesPlugin({ root: client, typesFile: join(root, '.hull/types/pages.ts') }),
      react(),
      viteFastifyReact({ ts: true })
    ],
    html: { cspNonce: NONCE_PLACEHOLDER },
    build: { outDir: dist, emptyOutDir: true },
    environments: {
      // @fastify/vite sets build.sourcemap itself; under the environment's own key ours holds.
      client: { build: { outDir: join(dist, 'client'), manifest: true, sourcemap: 'hidden', modulePreload: { polyfill: false }, assetsInlineLimit: 0 } },
      ssr: { build: { outDir: join(dist, 'server'), sourcemap: true, minify: false } }
    },
    builder: {
      async buildApp (builder) {
        await builder.build(builder.environments.client!)
        await builder.build(builder.environments.ssr!)
        await finishBuild(dist)
      }
    }
  }
}
