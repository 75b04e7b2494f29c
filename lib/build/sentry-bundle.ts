import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { BUNDLE } from '../telemetry/sentry-bundle.ts'

const ENTRY = fileURLToPath(new URL('../telemetry/sentry-exports.ts', import.meta.url))

/** Makes one file of what the server uses of Sentry's SDK. */
export async function bundleSentry(file = BUNDLE): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    define: {
      // The SDK's own log, and its loader hooks that rewrite other packages: `--import @sentry/node/import` installs them.
      __SENTRY_DEBUG__: 'false',
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
