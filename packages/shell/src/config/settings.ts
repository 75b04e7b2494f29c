import { resolve } from 'node:path'
import { parseCsp } from '../http/csp.ts'
import {
  toBytes,
  toDuration,
  toNumber,
  toOneOf,
  toOrigin,
  toOrigins,
  toPath,
  toPositive,
  toSecret,
  toText,
  toTrustProxy
} from '@hull/common/settings/values.ts'
import { setting } from '@hull/common/settings/settings.ts'

/** Settings of the page server. */
export const SHELL_SETTINGS = {
  host: setting({
    variable: 'HOST',
    fallback: 'localhost',
    meaning: 'Address to listen on; 0.0.0.0 in a container.',
    parse: toText
  }),
  port: setting({
    variable: 'PORT',
    fallback: '3000',
    meaning: 'TCP port to listen on; 0 takes any free one.',
    parse: toNumber(0, 65_535)
  }),
  baseUrl: setting({
    variable: 'BASE_URL',
    otherwise: 'the origin of each request',
    meaning: 'Origin visitors use, such as https://app.example. https turns on HSTS and Secure cookies.',
    parse: toOrigin
  }),
  trustProxy: setting({
    variable: 'TRUST_PROXY',
    fallback: 'false',
    meaning:
      'Proxies whose X-Forwarded-* headers are trusted: false, true, a number of hops, or addresses and CIDR ranges with commas between.',
    parse: toTrustProxy
  }),
  logLevel: setting({
    variable: 'LOG_LEVEL',
    fallback: 'info',
    meaning: 'Least severe level to log: trace, debug, info, warn, error, fatal or silent.',
    parse: toOneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')
  }),
  dataDir: setting({
    variable: 'DATA_DIR',
    fallback: 'data',
    meaning: 'Folder for what must outlive a restart; made when it is missing.',
    parse: (text) => resolve(text)
  }),
  release: setting({
    variable: 'RELEASE',
    otherwise: 'the id of the build',
    meaning: 'Name of the running version, in every log line.',
    parse: toText
  }),
  environment: setting({
    variable: 'ENVIRONMENT',
    fallback: 'production',
    meaning: 'Name of the deployment, such as staging. Names it, and switches nothing.',
    parse: toText
  }),
  sessionSecret: setting({
    variable: 'SESSION_SECRET',
    otherwise: 'made once, in DATA_DIR',
    secret: true,
    meaning: 'Key that signs sessions, at least 32 characters; the same on every replica.',
    parse: toSecret(32)
  }),
  signInPath: setting({
    variable: 'SIGN_IN_PATH',
    otherwise: 'nothing',
    meaning: 'Path of the page that a 401 offers.',
    parse: toPath
  }),
  renderTimeout: setting({
    variable: 'RENDER_TIMEOUT',
    fallback: '10s',
    meaning:
      'Time a page has, from its guard to its last byte. Plain numbers are milliseconds; 500ms, 10s and 1m work too.',
    parse: toPositive(toDuration)
  }),
  fetchTimeout: setting({
    variable: 'FETCH_TIMEOUT',
    fallback: '8s',
    meaning: 'Time ctx.fetch has for all its attempts; a slow answer may take all of it.',
    parse: toPositive(toDuration)
  }),
  shutdownTimeout: setting({
    variable: 'SHUTDOWN_TIMEOUT',
    fallback: '8s',
    meaning: 'Time between SIGTERM and the exit.',
    parse: toDuration
  }),
  bodyLimit: setting({
    variable: 'BODY_LIMIT',
    fallback: '1MiB',
    meaning: 'Size of a request body, above which it is 413. Plain numbers are bytes; KiB and MiB work too.',
    parse: toPositive(toBytes)
  }),
  pageCacheBytes: setting({
    variable: 'PAGE_CACHE_BYTES',
    fallback: '64MiB',
    meaning: 'Memory for documents of pages with `cache`; the least recently used go first.',
    parse: toBytes
  }),
  redirectOrigins: setting({
    variable: 'REDIRECT_ORIGINS',
    otherwise: 'this application alone',
    meaning:
      'Origins that a form may lead to, by a redirect of its action, with commas between, such as https://pay.example.',
    parse: toOrigins
  }),
  csp: setting({
    variable: 'CSP',
    otherwise: 'nothing more',
    meaning:
      "Sources added to the content security policy, such as: img-src https://cdn.example; worker-src blob:. 'none' clears a directive.",
    parse: parseCsp
  }),
  metricsToken: setting({
    variable: 'METRICS_TOKEN',
    otherwise: 'only direct peers on a private network',
    secret: true,
    meaning: 'Bearer token that /metrics asks for.',
    parse: toSecret(16)
  }),
  maxEventLoopDelay: setting({
    variable: 'MAX_EVENT_LOOP_DELAY',
    fallback: '500ms',
    meaning: 'Delay of the event loop past which requests are answered 503 until it recovers; 0 is off.',
    parse: toDuration
  })
}
