import type { Side } from '../model.ts'

/** SDKs that run in browsers alone; those of frameworks run on both sides. */
const BROWSER_SDK = /^sentry\.javascript\.(?:browser|react|vue|angular|svelte|solid|ember|gatsby|preact|wasm)\b/
const BROWSER_OP = /^(?:pageload|navigation|prefetch|ui\.|browser\.|resource\.)/

/** Where something ran. Says the platform nothing, then the SDK's name does, then the kind of work. */
export function sideOf({ platform, sdk, op }: { platform?: string; sdk?: string; op?: string }): Side {
  if (op === 'http.server') return 'server'
  if (platform !== undefined && platform !== 'other') return platform === 'javascript' ? 'browser' : 'server'
  if (sdk !== undefined && BROWSER_SDK.test(sdk)) return 'browser'
  return op !== undefined && BROWSER_OP.test(op) ? 'browser' : 'server'
}
