import { join } from 'node:path'
import viteFastifyReact from '@fastify/react/plugin'
import react from '@vitejs/plugin-react'
import type { PluginOption, UserConfig } from 'vite'
import { NONCE_PLACEHOLDER } from '../render/template.ts'
import { changePlugin } from './change-plugin.ts'
import { scanForDependencies } from './dependency-scan.ts'
import { fastifyReactPlugin } from './fastify-react.ts'
import { finishBuild } from './finish.ts'
import { pagesPlugin } from './pages-plugin.ts'
import { findReactPackages } from './react-packages.ts'

export interface ViteConfigOptions {
  /** The project's folder: the one with `client/` in it. */
  root: string
  /** Where the build goes. @default `dist` below the root */
  dist?: string
  /** Whether this is a build; Vite's own development tags need a nonce, a build's do not. */
  build: boolean
  /** Further plugins, such as that of monitoring. @default none */
  plugins?: PluginOption[]
}

/** How long each plugin took, on a busy machine, is nothing that whoever starts the application can mend. */
const NO_TIMINGS = { bundlerTimings: false }

/** @fastify/react with what it renders by, in the server's bundle: so it has the pages' copy of React. */
const FASTIFY_REACT = ['@fastify/react', '@unhead/react', 'unhead', 'devalue', 'hookable', 'minipass']

/** Vite's configuration for a Hull site. */
export function createViteConfig({
  root,
  dist = join(root, 'dist'),
  build,
  plugins = []
}: ViteConfigOptions): UserConfig {
  const client = join(root, 'client')
  return {
    root: client,
    plugins: [
      pagesPlugin({ root: client, typesFile: join(root, '.hull/types/pages.ts') }),
      changePlugin(client),
      fastifyReactPlugin({ root: client }),
      react(),
      viteFastifyReact({ ts: true }),
      ...plugins
    ],
    html: build ? {} : { cspNonce: NONCE_PLACEHOLDER },
    resolve: { dedupe: ['react', 'react-dom'] },
    optimizeDeps: {
      ...scanForDependencies(client),
      include: ['react', 'react/jsx-dev-runtime', 'react-dom', 'react-dom/client', 'devalue', 'valtio']
    },
    // Never inlined, on either side: the two would differ, and hydration would fail.
    build: { outDir: dist, emptyOutDir: true, assetsInlineLimit: 0 },
    environments: {
      // @fastify/vite sets build.sourcemap itself; under the environment's own key ours holds.
      client: {
        build: {
          outDir: join(dist, 'client'),
          manifest: true,
          sourcemap: 'hidden',
          modulePreload: { polyfill: false },
          rolldownOptions: {
            checks: NO_TIMINGS,
            // The SDK names each attribute by a constant in a module of its own: 1.5 % less.
            optimization: { inlineConst: { mode: 'all', pass: 3 } },
            output: {
              // What every visit needs is one file: fewer requests, and it compresses better than its pieces.
              codeSplitting: {
                groups: [{ name: 'main', tags: ['$initial'] }]
              }
            }
          }
        }
      },
      // React and all that uses it go into the server's bundle: one copy, whose mode the build fixes and NODE_ENV does not.
      ssr: {
        define: build ? { 'process.env.NODE_ENV': '"production"' } : {},
        resolve: { noExternal: build ? ['react', 'react-dom', ...FASTIFY_REACT, ...findReactPackages(root)] : [] },
        build: {
          outDir: join(dist, 'server'),
          sourcemap: true,
          minify: false,
          copyPublicDir: false
        }
      }
    },
    builder: {
      async buildApp(builder) {
        await builder.build(builder.environments.client!)
        await builder.build(builder.environments.ssr!)
        await finishBuild(dist)
      }
    }
  }
}
