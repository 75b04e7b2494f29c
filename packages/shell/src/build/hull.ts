import { rmSync } from 'node:fs'
import { join } from 'node:path'
import viteFastifyReact from '@fastify/react/plugin'
import react from '@vitejs/plugin-react'
import { searchForWorkspaceRoot, type PluginOption, type UserConfig } from 'vite'
import { BUILD_FILE } from '../server/build-id.ts'
import { NONCE_PLACEHOLDER } from '../render/template.ts'
import { asciiStrings } from './ascii-strings.ts'
import { buildLock } from './build-lock.ts'
import { basePathPlugin, toViteBase, type PlaceOptions } from './base-path.ts'
import { toGroups } from './code-splitting.ts'
import { changePlugin } from './development/change-plugin.ts'
import { preferLaterFiles } from './env-files.ts'
import { checkPackages } from './packages/check-packages.ts'
import { scanForDependencies } from './pages/dependency-scan.ts'
import { fastifyReactPlugin } from './fastify-react.ts'
import { finishBuild } from './finish.ts'
import { HULL_PACKAGES, SERVER_PACKAGES } from './packages/installed-packages.ts'
import { overlayPlugin } from './development/overlay-plugin.ts'
import { pagesPlugin } from './pages/pages-plugin.ts'
import { policyWarning } from './policy-warning.ts'
import { findReactPackages } from './packages/react-packages.ts'
import { toShellModule } from './shell-client.ts'
import { restartPlugin } from './development/restart-plugin.ts'
import { resolveRoots, type PageRoot, type PageRootOptions } from './pages/roots.ts'

export interface HullOptions {
  /**
   * Folder of the project, which contains `client/`.
   * @default the current folder
   */
  root?: string
  /**
   * Output folder of the build.
   * @default `dist` in the root
   */
  dist?: string
  /**
   * Additional folders of pages, each with a prefix.
   * @default none
   */
  roots?: readonly PageRootOptions[]
  /**
   * Files and folders, relative to the root, that browser code must not import.
   * @default plugins, routes and server.ts
   */
  serverOnly?: readonly string[]
  /**
   * Whether the build adds compressed copies of the assets (Brotli, Zstandard and gzip). Without them, the server sends
   * the assets uncompressed.
   * @default true
   */
  compress?: boolean
  /**
   * Prefix of all addresses, such as `/shop`, of builds. Development serves at the root.
   * @default none
   */
  basePath?: string
  /**
   * Origin, and path if needed, of the server that has the files of `dist/client`, such as `https://cdn.example`.
   * @default the application itself
   */
  assetsUrl?: string
}

/**
 * Disables two warnings of the bundler: about slow plugins, since an application's developer cannot make Hull's plugins
 * faster, and one for each file of a component library that begins with 'use client', which means nothing here.
 */
const CHECKS = { bundlerTimings: false, moduleLevelDirective: false }

/**
 * @fastify/react and its dependencies for rendering, in the server's bundle, so that they use the pages' copy of React.
 */
const FASTIFY_REACT = ['@fastify/react', '@unhead/react', 'unhead', 'devalue', 'hookable', 'minipass']

/**
 * Returns the Vite plugins of a Hull application, for `plugins` in vite.config.ts: pages, layouts and fallbacks, React,
 * and the settings of both builds. You can add your own plugins and settings; Vite merges them.
 * @throws PackageMissing, PackageInternal, PackageTwice, PageRootMissing, PageRootTwice, PageRootInvalid
 */
export function hull({
  root = process.cwd(),
  dist = join(root, 'dist'),
  roots: furtherRoots,
  serverOnly = ['plugins', 'routes', 'server.ts'],
  compress = true,
  basePath = '',
  assetsUrl
}: HullOptions = {}): PluginOption[] {
  checkPackages(root)
  const roots = resolveRoots(root, furtherRoots)
  const place = { basePath, assetsUrl }
  return [
    {
      name: 'hull-config',
      // Before @fastify/vite, which reads the root and the builds from the configuration.
      enforce: 'pre',
      config(_config, { command, mode }) {
        preferLaterFiles(root, mode)
        return createConfig({ root, dist, roots, compress, place, build: command === 'build' })
      }
    },
    buildLock(root),
    basePathPlugin(place),
    pagesPlugin({ roots, serverOnly, typesFolder: join(root, '.hull/types') }),
    changePlugin(roots),
    overlayPlugin(root),
    policyWarning(),
    restartPlugin({ root, serverOnly }),
    fastifyReactPlugin({ roots }),
    react(),
    // Without its last step, which writes a template for each page into `dist/client/html`.
    viteFastifyReact({ ts: true }).map((plugin) => ({ ...plugin, closeBundle: undefined })),
    asciiStrings
  ]
}

interface ConfigOptions {
  root: string
  dist: string
  roots: readonly PageRoot[]
  compress: boolean
  place: PlaceOptions
  /** Whether this is a build. Vite's tags need a nonce in development only. */
  build: boolean
}

function createConfig({ root, dist, roots, compress, place, build }: ConfigOptions): UserConfig {
  return {
    root: join(root, 'client'),
    // Beside the server's own `.env`.
    envDir: root,
    base: build ? toViteBase(place) : '/',
    html: build ? {} : { cspNonce: NONCE_PLACEHOLDER },
    // Vite serves only files in these folders. Packages of a workspace are outside of the project.
    server: { fs: { allow: [searchForWorkspaceRoot(root), root, ...roots.map(({ folder }) => folder)] } },
    resolve: {
      dedupe: ['react', 'react-dom'],
      // In development, Vite lets Node load packages in node_modules unless there is an alias. This package imports
      // virtual modules.
      alias: build ? [] : [{ find: /^@hull\/shell\/client$/, replacement: toShellModule('index.ts') }]
    },
    optimizeDeps: {
      ...scanForDependencies(roots),
      // Their client code imports virtual modules, and shares its state with the pages.
      exclude: HULL_PACKAGES,
      include: ['react', 'react/jsx-dev-runtime', 'react-dom', 'react-dom/client', '@hull/shell > valtio']
    },
    // No inlined assets: the two sides would differ, and hydration would fail.
    build: { outDir: dist, emptyOutDir: true, assetsInlineLimit: 0 },
    environments: {
      // @fastify/vite sets build.sourcemap; the environment's own setting has precedence.
      client: {
        build: {
          outDir: join(dist, 'client'),
          manifest: true,
          sourcemap: 'hidden',
          modulePreload: { polyfill: false },
          rolldownOptions: {
            checks: CHECKS,
            // The SDK imports a constant for each attribute name. Inlining them saves 1.5 %.
            optimization: { inlineConst: { mode: 'all', pass: 3 } },
            output: {
              codeSplitting: { groups: toGroups(roots) }
            }
          }
        }
      },
      // Bundles React and all packages that use it into the server: one copy, whose mode the build sets instead of
      // NODE_ENV.
      ssr: {
        define: build ? { 'process.env.NODE_ENV': '"production"' } : {},
        resolve: {
          // In development, this setting and not the plugins determines which packages Node loads.
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
          // Repeated here: @fastify/vite's own value is lost when Vite merges it with the settings above.
          rolldownOptions: {
            checks: CHECKS,
            input: { index: '$app/index.ts' },
            output: {
              comments: false,
              // Each file that a start loads takes time, so all that it needs is in one.
              codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] }
            }
          }
        }
      }
    },
    builder: {
      async buildApp(builder) {
        // A build that is interrupted leaves halves of two builds, which must not be started.
        rmSync(join(dist, BUILD_FILE), { force: true })
        await builder.build(builder.environments.client!)
        await builder.build(builder.environments.ssr!)
        await finishBuild(dist, { compress, publicFolder: join(root, 'client/public'), ...place })
      }
    }
  }
}
