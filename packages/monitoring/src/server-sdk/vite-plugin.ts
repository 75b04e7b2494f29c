import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'
import { bundleIn } from './sentry-bundle.ts'

const ENTRY = fileURLToPath(new URL('sentry-exports.ts', import.meta.url))

/** Omits the SDK's own log, which is not read in a build and is a tenth of the SDK's size. */
const NO_LOG = { __SENTRY_DEBUG__: 'false' }

/**
 * Results of the SDK's functions that are always the same for our client (browser-sdk/client.ts) in a browser. With these
 * values in place of the calls, the bundler leaves out the code that would never run.
 */
const CONSTANT_RESULTS: Record<string, string> = {
  // Ours sends transactions, not a stream of spans. Only a stream has spans of soft navigations.
  hasSpanStreamingEnabled: 'false',
  supportsSoftNavigations: 'false',
  getNavigationSpanForMetric: 'undefined',
  // Ours has neither `beforeSendSpan` nor `ignoreSpans`.
  isStaticBeforeSendSpanCallback: 'false',
  shouldIgnoreSpan: 'false',
  maybeWarnAboutIgnoredTransactionOptions: 'undefined',
  // OpenTelemetry is for servers.
  spanIsOpenTelemetrySdkTraceBaseSpan: 'false',
  spanIsTracerProviderSpan: 'false',
  getSegmentSpanCaptureStrategy: 'undefined',
  getExternalPropagationContext: 'undefined',
  hasExternalPropagationContext: 'false',
  isBrowser: 'true',
  supportsNativeFetch: 'true'
}

const CONSTANT_CALL = new RegExp(`(?<!function )\\b(${Object.keys(CONSTANT_RESULTS).join('|')})\\([^()]*\\)`, 'g')

/** Packages of the browser's SDK. */
const BROWSER_SDK = ['@sentry/browser', '@sentry/browser-utils', '@sentry/core']

/**
 * Vite plugin for an application with monitoring. Resolves the browser's SDK to the copy of this package: reports to
 * another copy, which the application has installed, would be lost, because nothing initialises it. Prepares the
 * browser's SDK, and bundles the parts of the SDK that the server uses into `sdk/sentry.cjs` in the build's folder.
 */
export function monitoringBuild(): Plugin {
  return {
    name: 'hull:monitoring',
    enforce: 'pre',
    config: (_config, { command }) => ({
      // All packages that the browser's SDK is loaded from. If Vite finds one later, it reloads open pages.
      optimizeDeps: { include: BROWSER_SDK.map((name) => `@hull/monitoring > ${name}`) },
      environments: { client: { define: command === 'build' ? NO_LOG : {} } }
    }),
    resolveId: {
      filter: { id: /^@sentry\/(?:browser|browser-utils|core)$/ },
      handler(source) {
        return this.resolve(source, import.meta.filename, { skipSelf: true })
      }
    },
    transform: {
      filter: { id: /\/@sentry\/(?:browser|browser-utils|core)\//, code: CONSTANT_CALL },
      handler(code) {
        if (this.environment.name !== 'client' || this.environment.mode !== 'build') return
        return { code: code.replace(CONSTANT_CALL, replaceCall), map: null }
      }
    },
    buildApp: {
      order: 'post',
      async handler({ config }) {
        await bundleSentry(bundleIn(resolve(config.root, config.build.outDir)))
      }
    }
  }
}

/** Returns the result of a call, padded: the positions of other code stay the same, so the maps stay true. */
function replaceCall(call: string, name: string): string {
  const result = CONSTANT_RESULTS[name]!
  return result + call.slice(result.length).replaceAll(/\S/g, ' ')
}

/** Bundles the parts of Sentry's SDK that the server uses. */
async function bundleSentry(file: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    define: {
      ...NO_LOG,
      // Without loader hooks that rewrite other packages; `--import @sentry/node/import` installs them.
      __SENTRY_CHANNEL_INJECTION__: 'false'
    },
    ssr: { noExternal: true },
    build: {
      ssr: ENTRY,
      outDir: dirname(file),
      emptyOutDir: true,
      minify: false,
      rolldownOptions: {
        // Without comments, which V8 would keep, some with two bytes for each character of the file.
        output: { format: 'cjs', entryFileNames: basename(file), codeSplitting: false, comments: false }
      }
    }
  })
}
