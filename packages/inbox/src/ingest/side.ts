import { asArray, asObject, toText, type Raw } from './fields.ts'
import type { Side } from '../store/model.ts'

/** Maximum packages of an SDK to inspect, and characters of a name. SDKs have two. */
const MAX_PACKAGES = 10
const MAX_NAME = 100

/** SDKs that only run in browsers; those of frameworks run on both sides. */
const BROWSER_SDK = /^sentry\.javascript\.(?:browser|react|vue|angular|svelte|solid|ember|gatsby|preact|wasm)\b/
const BROWSER_OP = /^(?:pageload|navigation|prefetch|ui\.|browser\.|resource\.)/

/** SDKs for JavaScript that never run in a browser; some of them call their platform `javascript`. */
const SERVER_SDK = /node|bun|deno|cloudflare|lambda|serverless|edge|electron/i

/** SDKs of apps on the devices of visitors: `sentry.cocoa`, `sentry.java.android`, `sentry.dart.flutter`. */
const DEVICE_SDK =
  /\b(?:android|capacitor|cocoa|cordova|flutter|godot|maui|react-native|unity|unreal|uwp|xamarin(?:-forms)?)\b/

/** Systems on which people run a program themselves, so that they are not those of a server. */
const MOBILE_SYSTEM = /^(?:Android|HarmonyOS|i(?:Pad)?OS|tvOS|visionOS|watchOS)(?: |$)/

/** Whether a system, such as `iOS 19`, is not that of a server. */
export const isMobile = (system: string | undefined): boolean => MOBILE_SYSTEM.test(system ?? '')

/**
 * Whether the contexts of an event are those of a mobile device. The system alone says nothing: Sentry takes that of
 * the visitor from the user agent, also for events of a server.
 */
function isOnDevice({ device, os }: Raw): boolean {
  return Object.keys(asObject(device)).length > 0 && isMobile(toText(asObject(os).name, MAX_NAME))
}

/**
 * Returns the name of an SDK with those of its packages, for {@link sideOf}: the SDK of a framework has one name on
 * both sides, and on an edge a package such as `npm:@sentry/vercel-edge`.
 */
export function toSdkNames(sdk: unknown): string | undefined {
  const { name, packages } = asObject(sdk)
  const names = [
    name,
    ...asArray(packages)
      .slice(0, MAX_PACKAGES)
      .map((one) => asObject(one).name)
  ]
  return names.flatMap((one) => toText(one, MAX_NAME) ?? []).join(' ') || undefined
}

interface Sender {
  platform?: string
  /** From {@link toSdkNames}. */
  sdk?: string
  op?: string
  contexts?: Raw
}

/**
 * Returns the side on which something ran, from the operation, the SDK's name, the device and the platform. Apps on the
 * devices of visitors are on the side of browsers.
 */
export function sideOf({ platform, sdk, op, contexts = {} }: Sender): Side {
  if (op === 'http.server' || (sdk !== undefined && SERVER_SDK.test(sdk))) return 'server'
  if ((sdk !== undefined && DEVICE_SDK.test(sdk)) || isOnDevice(contexts)) return 'browser'
  if (platform !== undefined && platform !== 'other') return platform === 'javascript' ? 'browser' : 'server'
  if (sdk !== undefined && BROWSER_SDK.test(sdk)) return 'browser'
  return op !== undefined && BROWSER_OP.test(op) ? 'browser' : 'server'
}
