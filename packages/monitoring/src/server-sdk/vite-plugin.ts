import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'
import { bundleIn } from './sentry-bundle.ts'

const ENTRY = fileURLToPath(new URL('sentry-exports.ts', import.meta.url))

/** The SDK's own log: nobody reads it in a build, and it is a tenth of the SDK's size. */
const NO_LOG = { __SENTRY_DEBUG__: 'false' }

/**
 * Vite's plugin for an application with monitoring: prepares the browser's SDK, and writes one file of what the server
 * uses of its SDK, `sdk/sentry.cjs` in the build's folder.
 */
export function monitoringBuild(): Plugin {
  return {
    name: 'hull:monitoring',
    config: (_config, { command }) => ({
      // All that the browser's SDK is loaded from: what Vite finds later reloads open pages.
      optimizeDeps: { include: ['@sentry/browser', '@sentry/browser-utils', '@sentry/core'] },
      environments: { client: { define: command === 'build' ? NO_LOG : {} } }
    }),
    buildApp: {
      order: 'post',
      async handler({ config }) {
        await bundleSentry(bundleIn(resolve(config.root, config.build.outDir)))
      }
    }
  }
}

/** Makes one file of what the server uses of Sentry's SDK. */
async function bundleSentry(file: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    define: {
      ...NO_LOG,
      // Loader hooks that rewrite other packages: `--import @sentry/node/import` installs them.
      __SENTRY_CHANNEL_INJECTION__: 'false'
    },
    ssr: { noExternal: true },
    build: {
      ssr: ENTRY,
      outDir: dirname(file),
      emptyOutDir: true,
      minify: false,
      rolldownOptions: { output: { format: 'cjs', entryFileNames: basename(file), codeSplitting: false } }
    }
  })
}
