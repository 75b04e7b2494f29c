import type { Side } from '../store/model.ts'

/** SDKs that run in browsers alone; those of frameworks run on both sides. */
const BROWSER_SDK = /^sentry\.javascript\.(?:browser|react|vue|angular|svelte|solid|ember|gatsby|preact|wasm)\b/
const BROWSER_OP = /^(?:pageload|navigation|prefetch|ui\.|browser\.|resource\.)/

/** SDKs for JavaScript that never run in a browser; some of them call their platform `javascript`. */
const SERVER_SDK = /node|bun|deno|cloudflare|lambda|serverless|edge|electron/i

/** Where something ran: by the kind of work, then the SDK's name, then the platform. */
export function sideOf({ platform, sdk, op }: { platform?: string; sdk?: string; op?: string }): Side {
  if (op === 'http.server' || (sdk !== undefined && SERVER_SDK.test(sdk))) return 'server'
  if (platform !== undefined && platform !== 'other') return platform === 'javascript' ? 'browser' : 'server'
  if (sdk !== undefined && BROWSER_SDK.test(sdk)) return 'browser'
  return op !== undefined && BROWSER_OP.test(op) ? 'browser' : 'server'
}
