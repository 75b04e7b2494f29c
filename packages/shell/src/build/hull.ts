import { join } from 'node:path'
import viteFastifyReact from '@fastify/react/plugin'
import react from '@vitejs/plugin-react'
import { searchForWorkspaceRoot, type PluginOption, type UserConfig } from 'vite'
import { NONCE_PLACEHOLDER } from '../render/template.ts'
import { changePlugin } from './change-plugin.ts'
import { checkPackages } from './check-packages.ts'
import { scanForDependencies } from './dependency-scan.ts'
import { fastifyReactPlugin } from './fastify-react.ts'
import { finishBuild } from './finish.ts'
import { HULL_PACKAGES, SERVER_PACKAGES } from './installed-packages.ts'
import { pagesPlugin } from './pages-plugin.ts'
import { findReactPackages } from './react-packages.ts'
import { toShellModule } from './shell-client.ts'
import { resolveRoots, type PageRoot, type PageRootOptions } from './roots.ts'

export interface HullOptions {
  /** Folder of the project, with `client/` in it. @default the current folder */
  root?: string
  /** Folder that the build writes. @default `dist` below the root */
  dist?: string
  /** Further folders of pages, each with a prefix. @default none */
  roots?: readonly PageRootOptions[]
  /**
   * Files and folders, relative to the root, that browser code must not import.
   * @default plugins, routes and server.ts
   */
  serverOnly?: readonly string[]
}

/** Vite's warning about slow plugins: the developer of an application cannot change how long Hull's plugins take. */
const NO_TIMINGS = { bundlerTimings: false }

/** @fastify/react with what it renders by, in the server's bundle: so it has the pages' copy of React. */
const FASTIFY_REACT = ['@fastify/react', '@unhead/react', 'unhead', 'devalue', 'hookable', 'minipass']

/**
 * The Vite plugins of a Hull application, for `plugins` in vite.config.ts: pages, layouts and fallbacks, React, and the
 * settings of both builds. Add plugins and settings of your own beside it; Vite merges them.
 * @throws PackageMissing, PackageInternal, PackageTwice, PageRootMissing, PageRootTwice, PageRootInvalid
 */
export function hull({
  root = process.cwd(),
  dist = join(root, 'dist'),
  roots: furtherRoots,
  serverOnly = ['plugins', 'routes', 'server.ts']
}: HullOptions = {}): PluginOption[] {
  checkPackages(root)
  const roots = resolveRoots(root, furtherRoots)
  return [
    {
      name: 'hull-config',
      // Before @fastify/vite, which reads the root and the builds from the configuration.
      enforce: 'pre',
      config: (_config, { command }) => createConfig({ root, dist, roots, build: command === 'build' })
    },
    pagesPlugin({ roots, serverOnly, typesFile: join(root, '.hull/types/pages.ts') }),
    changePlugin(roots),
    fastifyReactPlugin({ roots }),
    react(),
    viteFastifyReact({ ts: true })
  ]
}

interface ConfigOptions {
  root: string
  dist: string
  roots: readonly PageRoot[]
  /** Whether this is a build; Vite's own development tags need a nonce, a build's do not. */
  build: boolean
}

function createConfig({ root, dist, roots, build }: ConfigOptions): UserConfig {
  return {
    root: join(root, 'client'),
    html: build ? {} : { cspNonce: NONCE_PLACEHOLDER },
    // Vite serves nothing else; what a workspace brings lies above the project.
    server: { fs: { allow: [searchForWorkspaceRoot(root), root, ...roots.map(({ folder }) => folder)] } },
    resolve: {
      dedupe: ['react', 'react-dom'],
      // While developing, Vite leaves a package in node_modules to Node, unless it is an alias; this one imports what the
      // build writes.
      alias: build ? [] : [{ find: /^@hull\/shell\/client$/, replacement: toShellModule('index.ts') }]
    },
    optimizeDeps: {
      ...scanForDependencies(roots),
      // Their client code imports modules that the build writes, and shares its state with the pages.
      exclude: HULL_PACKAGES,
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
        resolve: {
          // In development Vite asks here, and not the plugins, which packages Node loads.
          external: build ? [] : SERVER_PACKAGES,
          noExternal: build
            ? [...HULL_PACKAGES, 'react', 'react-dom', ...FASTIFY_REACT, ...findReactPackages(root)]
            : []
        },
        build: {
          outDir: join(dist, 'server'),
          sourcemap: true,
          minify: false,
          copyPublicDir: false,
          // Named here: what @fastify/vite sets is lost when Vite merges it with the settings above.
          rolldownOptions: { input: { index: '$app/index.ts' } }
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
