import { resolve } from 'node:path'
import { parseCsp } from '../http/csp.ts'
import {
  toBytes,
  toCommit,
  toDuration,
  toFolderUrl,
  toNumber,
  toOneOf,
  toOrigin,
  toOrigins,
  toPath,
  toPlainPath,
  toPositive,
  toSecret,
  toText,
  toTrustProxy,
  toUrlOf
} from '@hull/common/settings/values.ts'
import { setting } from '@hull/common/settings/settings.ts'

/** Settings of the page server. */
export const SHELL_SETTINGS = {
  host: setting({
    variable: 'HOST',
    fallback: 'localhost',
    meaning: 'Address to listen on; 0.0.0.0 in a container, or :: in a network with IPv6.',
    parse: toText
  }),
  port: setting({
    variable: 'PORT',
    fallback: '3000',
    meaning: 'TCP port to listen on; 0 chooses a free port.',
    parse: toNumber(0, 65_535)
  }),
  baseUrl: setting({
    variable: 'BASE_URL',
    otherwise: 'the origin of each request',
    meaning: 'Origin that visitors use, such as https://app.example. https turns on HSTS and Secure cookies.',
    parse: toOrigin
  }),
  basePath: setting({
    variable: 'BASE_PATH',
    otherwise: 'the root of the origin',
    meaning: 'Prefix of all addresses, such as /shop. The build needs it; at the start it must be the same or unset.',
    parse: toPlainPath
  }),
  assetsUrl: setting({
    variable: 'ASSETS_URL',
    otherwise: 'the application itself',
    meaning:
      'Address of the files of dist/client on a CDN, such as https://cdn.example/shop. The build needs it; at the start it must be the same or unset.',
    parse: toFolderUrl
  }),
  trustProxy: setting({
    variable: 'TRUST_PROXY',
    fallback: 'false',
    meaning:
      'Proxies whose X-Forwarded-* headers are trusted: true, false, a number of hops, or a comma-separated list of addresses, CIDR ranges, and the names loopback, linklocal and uniquelocal (private networks).',
    parse: toTrustProxy
  }),
  logLevel: setting({
    variable: 'LOG_LEVEL',
    fallback: 'info',
    meaning: 'Lowest level to log: trace, debug, info, warn, error, fatal or silent.',
    parse: toOneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')
  }),
  dataDir: setting({
    variable: 'DATA_DIR',
    fallback: 'data',
    meaning: 'Folder for data that survives a restart; created if it does not exist.',
    parse: (text) => resolve(text)
  }),
  release: setting({
    variable: 'RELEASE',
    otherwise: 'the id of the build',
    meaning: 'Name of the running version, in log lines, errors and traces.',
    parse: toText
  }),
  releaseCommit: setting({
    variable: 'RELEASE_COMMIT',
    otherwise: 'the commit at the end of RELEASE, if it has one',
    meaning: 'Commit of the running version, 7 to 64 hex digits, for links from errors to their source.',
    parse: toCommit
  }),
  environment: setting({
    variable: 'ENVIRONMENT',
    fallback: 'production',
    meaning:
      'Name of the deployment, such as staging. A label only: it changes no behaviour. With npm run dev, it is development unless it is set.',
    parse: toText
  }),
  sessionSecret: setting({
    variable: 'SESSION_SECRET',
    otherwise: 'generated once, in DATA_DIR',
    secret: true,
    meaning: 'Key that signs sessions, at least 32 characters. Set the same value on every replica.',
    parse: toSecret(32)
  }),
  sessionSecretPrevious: setting({
    variable: 'SESSION_SECRET_PREVIOUS',
    otherwise: 'none',
    secret: true,
    meaning:
      'The SESSION_SECRET before this one. Sessions that it signed are still accepted, and signed again when they are used.',
    parse: toSecret(32)
  }),
  databaseUrl: setting({
    variable: 'DATABASE_URL',
    otherwise: 'none: the inbox is in DATA_DIR',
    secret: true,
    meaning:
      'PostgreSQL that all replicas share, such as postgresql://user:password@db/hull. It stores the inbox, and connects replicas: if one invalidates a cached page, all remove it. Needs the package pg.',
    parse: toUrlOf('postgresql:', 'postgres:')
  }),
  redisUrl: setting({
    variable: 'REDIS_URL',
    otherwise: 'none',
    secret: true,
    meaning:
      'Redis or Valkey that connects replicas in place of DATABASE_URL, such as redis://user:password@cache:6379. Needs the package redis.',
    parse: toUrlOf('redis:', 'rediss:')
  }),
  signInPath: setting({
    variable: 'SIGN_IN_PATH',
    otherwise: 'none',
    meaning: 'Path of the sign-in page that a 401 offers.',
    parse: toPath
  }),
  renderTimeout: setting({
    variable: 'RENDER_TIMEOUT',
    fallback: '10s',
    meaning:
      'Time limit of a page, from its guard to its last byte. Milliseconds, or a duration such as 500ms, 10s or 1m.',
    parse: toPositive(toDuration)
  }),
  keepAliveTimeout: setting({
    variable: 'KEEP_ALIVE_TIMEOUT',
    otherwise: 'a minute more than RENDER_TIMEOUT',
    meaning:
      'Time after which a connection without requests is closed, such as 620s. Longer than the proxy in front keeps connections, which would otherwise send a request on one that is being closed.',
    parse: toPositive(toDuration)
  }),
  fetchTimeout: setting({
    variable: 'FETCH_TIMEOUT',
    fallback: '8s',
    meaning: 'Time limit for all attempts of one ctx.fetch together.',
    parse: toPositive(toDuration)
  }),
  shutdownDelay: setting({
    variable: 'SHUTDOWN_DELAY',
    fallback: '0',
    meaning:
      'Time after SIGTERM in which requests are still accepted, while /readyz is 503: as long as a load balancer takes to notice, such as 5s.',
    parse: toDuration
  }),
  shutdownTimeout: setting({
    variable: 'SHUTDOWN_TIMEOUT',
    fallback: '8s',
    meaning: 'Time limit from SIGTERM, or from the end of SHUTDOWN_DELAY, to the exit.',
    // Not 0, with which every shutdown would cut open responses and end with 1.
    parse: toPositive(toDuration)
  }),
  bodyLimit: setting({
    variable: 'BODY_LIMIT',
    fallback: '1MiB',
    meaning: 'Largest request body; a larger one is 413. Bytes, or a size such as 500KiB or 1MiB.',
    parse: toPositive(toBytes)
  }),
  pageCacheBytes: setting({
    variable: 'PAGE_CACHE_BYTES',
    fallback: '64MiB',
    meaning: 'Memory for the documents of pages with `cache`. The least recently used are removed first.',
    parse: toBytes
  }),
  redirectOrigins: setting({
    variable: 'REDIRECT_ORIGINS',
    otherwise: 'the application only',
    meaning: 'Comma-separated origins that an action may redirect to, such as https://pay.example.',
    parse: toOrigins
  }),
  csp: setting({
    variable: 'CSP',
    otherwise: 'no additions',
    meaning:
      "Sources to add to the content security policy, such as: img-src https://cdn.example; worker-src blob:. 'none' clears a directive.",
    parse: parseCsp
  }),
  metricsToken: setting({
    variable: 'METRICS_TOKEN',
    otherwise: 'none: only direct peers on a private network may read /metrics',
    secret: true,
    meaning: 'Bearer token for /metrics, at least 16 characters.',
    parse: toSecret(16)
  }),
  maxEventLoopDelay: setting({
    variable: 'MAX_EVENT_LOOP_DELAY',
    fallback: '500ms',
    meaning: 'Event loop delay above which requests are answered with 503; 0 turns this off.',
    parse: toDuration
  })
}

/**
 * Whether the server is for this machine only: HOST is loopback, and BASE_URL too. Without BASE_URL, a trusted proxy means
 * that visitors come from other machines.
 * @param trustProxy value of TRUST_PROXY. @default false
 */
export const isLocal = (host: string, baseUrl?: string, trustProxy: unknown = false): boolean =>
  isLoopback(host) && (baseUrl === undefined ? !trustProxy : isLoopback(new URL(baseUrl).hostname))

/**
 * Returns warnings for the log about a server for other machines whose origin is not set.
 * @param config `local` as {@link isLocal} returns it
 */
export const findOriginWarnings = ({ local, baseUrl }: { local: boolean; baseUrl?: string }): string[] =>
  local || baseUrl !== undefined
    ? []
    : [
        'BASE_URL is not set, so the Host header of each request decides the origin in links, and cookies are sent over plain HTTP too. Set it to the origin that visitors use, such as https://app.example'
      ]

const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  host === '[::1]' ||
  host === '::1' ||
  /^127(\.\d{1,3}){3}$/.test(host)
