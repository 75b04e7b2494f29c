import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { findMisspelt } from './config-misspelt.ts'
import { ConfigInvalid } from './errors.ts'
import { parseCsp } from './http/csp.ts'
import {
  toAge,
  toAtLeast,
  toBytes,
  toDsn,
  toDsns,
  toDuration,
  toFlag,
  toNumber,
  toOneOf,
  toOrigin,
  toOrigins,
  toPath,
  toPlainPath,
  toPositive,
  toSecret,
  toShare,
  toText,
  toTrustProxy,
  type Parser
} from './config-values.ts'

/** One environment variable: how it is read, and what it means. */
interface Setting<T> {
  variable: string
  /** What it means, with its unit. */
  meaning: string
  /** The value when it is not set, as the environment would spell it. Absent: nothing, or as `otherwise` says. */
  fallback?: string
  /** What it is when it is not set, in words, where that is no fixed value. */
  otherwise?: string
  /** Not to be repeated in any message. */
  secret?: boolean
  parse: Parser<T>
}

const setting = <T>(definition: Setting<T>) => definition

/**
 * Every setting. Each one acts today; .env.example and docs/configuration.md list the same, held together by a test.
 */
export const SETTINGS = {
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
      'Whose X-Forwarded-* headers count: false, true, a number of hops, or addresses and CIDR ranges with commas between.',
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
  sentryDsn: setting({
    variable: 'SENTRY_DSN',
    otherwise: 'the inbox in this process',
    meaning: 'DSN of the outside provider that errors and traces go to.',
    parse: toDsn
  }),
  tunnelDsns: setting({
    variable: 'TUNNEL_DSNS',
    otherwise: 'none but the one in use',
    meaning: 'Further DSNs whose envelopes the tunnel takes, with commas between.',
    parse: toDsns
  }),
  tunnelAlias: setting({
    variable: 'TUNNEL_ALIAS',
    otherwise: '/monitoring alone',
    meaning: 'Second path of the tunnel, such as /news, for browsers that block /monitoring.',
    parse: toPlainPath
  }),
  tunnelRate: setting({
    variable: 'TUNNEL_RATE',
    fallback: '600',
    meaning: 'Envelopes a minute that each address may send to /monitoring, a third of them at once; 0 is off.',
    parse: toNumber(0, 1_000_000)
  }),
  inbox: setting({
    variable: 'INBOX',
    fallback: 'true',
    meaning: 'Whether the inbox stores errors and traces where SENTRY_DSN is not set; if not, nothing is collected.',
    parse: toFlag
  }),
  inboxPassword: setting({
    variable: 'INBOX_PASSWORD',
    otherwise: 'none: a local start prints a link to sign in by; elsewhere /inbox is 404',
    secret: true,
    meaning: 'Password that signs in to the inbox, at least 12 characters. A change ends the sessions opened by it.',
    parse: toSecret(12)
  }),
  inboxRetentionDays: setting({
    variable: 'INBOX_RETENTION_DAYS',
    fallback: '30',
    meaning: 'Days for which the inbox keeps what came.',
    parse: toNumber(1, 3_650)
  }),
  inboxMaxBytes: setting({
    variable: 'INBOX_MAX_BYTES',
    fallback: '2GiB',
    meaning:
      'Size of the inbox in DATA_DIR, past which the oldest goes. Plain numbers are bytes; MiB and GiB work too.',
    parse: toAtLeast(toBytes, 16 * 1024 ** 2, '16MiB or more')
  }),
  inboxKeyRate: setting({
    variable: 'INBOX_KEY_RATE',
    fallback: '6000',
    meaning:
      'Envelopes a minute that come to /api by one DSN key, a third of them at once; past it transactions are refused first, errors at four times the rate. 0 is off.',
    parse: toNumber(0, 1_000_000)
  }),
  sendPii: setting({
    variable: 'SEND_PII',
    fallback: 'false',
    meaning:
      'Whether cookies, authorization, bodies, addresses and secrets in queries go along with errors and traces.',
    parse: toFlag
  }),
  tracesSampleRate: setting({
    variable: 'TRACES_SAMPLE_RATE',
    otherwise: '1 when HOST and BASE_URL are this machine, else 0.1',
    meaning: 'Share of the traces beginning here that are kept, from 0 to 1.',
    parse: toShare
  }),
  traceTargets: setting({
    variable: 'TRACE_TARGETS',
    otherwise: 'the application alone',
    meaning:
      'Origins of other services whose requests carry the trace, with commas between, such as https://api.example.',
    parse: toOrigins
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
    otherwise: '/lab/sign-in while the lab is on',
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
  spoolMaxBytes: setting({
    variable: 'SPOOL_MAX_BYTES',
    fallback: '256MiB',
    meaning:
      'Envelopes that wait in DATA_DIR for their provider; past this the oldest replays and profiles go first, errors last. The file takes at most twice as much.',
    parse: toPositive(toBytes)
  }),
  spoolMaxAge: setting({
    variable: 'SPOOL_MAX_AGE',
    fallback: '3d',
    meaning: 'Age at which an envelope that no provider took is dropped.',
    parse: toPositive(toAge)
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
  }),
  lab: setting({
    variable: 'LAB',
    otherwise: 'on when HOST and BASE_URL are this machine',
    meaning: 'Whether the pages under /lab are there.',
    parse: toFlag
  })
}

type Settings = typeof SETTINGS
type Value<K extends keyof Settings> = ReturnType<Settings[K]['parse']>

/** Settings that have no fixed value when they are not set, and are told nothing then. */
type Optional =
  | 'baseUrl'
  | 'release'
  | 'sentryDsn'
  | 'tunnelDsns'
  | 'tunnelAlias'
  | 'inboxPassword'
  | 'sessionSecret'
  | 'signInPath'
  | 'csp'
  | 'metricsToken'

/** What the application runs with. */
export type Config = Readonly<
  { [K in Exclude<keyof Settings, Optional>]: Value<K> } & { [K in Optional]?: Value<K> } & {
    /** HOST is loopback, and BASE_URL unset or loopback. */
    local: boolean
    /** Sentences for the log, about names in the environment that look like misspelt settings. */
    warnings: readonly string[]
  }
>

/**
 * Reads the configuration.
 * @throws ConfigInvalid naming each variable that is wrong, and what it takes; never a secret
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, { variable, fallback, secret, parse }] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const text = env[variable]?.trim() || fallback
    if (text === undefined) continue
    try {
      values[name] = parse(text)
    } catch (error) {
      problems.push(`${variable}${secret ? '' : `=${text}`}: it takes ${(error as Error).message}`)
    }
  }
  if (problems.length > 0) throw new ConfigInvalid(problems.join('\n'))

  const { host, baseUrl, lab, signInPath, tracesSampleRate, traceTargets, redirectOrigins } = values as Partial<Config>
  values.local = isLoopback(host!) && (baseUrl === undefined || isLoopback(new URL(baseUrl).hostname))
  values.lab = lab ?? values.local
  values.tracesSampleRate = tracesSampleRate ?? (values.local ? 1 : 0.1)
  values.traceTargets = Object.freeze(traceTargets ?? [])
  values.redirectOrigins = Object.freeze(redirectOrigins ?? [])
  values.signInPath = signInPath ?? (values.lab ? '/lab/sign-in' : undefined)
  const known = Object.values(SETTINGS).map(({ variable }) => variable)
  values.warnings = Object.freeze(findMisspelt(Object.keys(env), known))
  return Object.freeze(values) as Config
}

/** The configuration of this process: its environment, and a `.env` file for what that leaves open. */
export function loadConfig(): Config {
  if (existsSync('.env')) process.loadEnvFile('.env')
  return readConfig(process.env)
}

/** The values that a browser may see, listed by hand. */
export const publicConfig = ({ environment, lab }: Config) => ({ environment, lab })

const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  host === '[::1]' ||
  host === '::1' ||
  /^127(\.\d{1,3}){3}$/.test(host)
