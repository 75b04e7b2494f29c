import { existsSync } from 'node:fs'
import { INBOX_SETTINGS } from '@hull/inbox'
import { MONITORING_SETTINGS } from '@hull/monitoring'
import { isLocal, readSettings, SHELL_SETTINGS } from '@hull/shell'
import { LAB_SETTINGS } from './routes/lab/settings.ts'

/**
 * Every setting of the application: each package lists its own. .env.example and docs/configuration.md list the same; a
 * test compares them.
 */
export const SETTINGS = {
  ...SHELL_SETTINGS,
  ...MONITORING_SETTINGS,
  sentryDsn: { ...MONITORING_SETTINGS.sentryDsn, otherwise: 'the inbox in this process' },
  ...INBOX_SETTINGS,
  ...LAB_SETTINGS
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

/** The application's configuration. */
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
  const { values: read, warnings } = readSettings(SETTINGS, env)
  const values: Record<string, unknown> = read
  const { host, baseUrl, tracesSampleRate, traceTargets, redirectOrigins } = values as Partial<Config>
  values.local = isLocal(host!, baseUrl)
  values.lab ??= values.local
  values.tracesSampleRate = tracesSampleRate ?? (values.local ? 1 : 0.1)
  values.traceTargets = Object.freeze(traceTargets ?? [])
  values.redirectOrigins = Object.freeze(redirectOrigins ?? [])
  values.signInPath ??= values.lab ? '/lab/sign-in' : undefined
  values.warnings = Object.freeze(warnings)
  return Object.freeze(values) as Config
}

/** The configuration of this process: its environment, and a `.env` file for what that leaves open. */
export function loadConfig(): Config {
  if (existsSync('.env')) process.loadEnvFile('.env')
  return readConfig(process.env)
}

/** The values that a browser may see, listed by hand. */
export const publicConfig = ({ environment }: Config) => ({ environment })

declare module 'fastify' {
  interface HullConfig extends Config {}
  interface HullPublicConfig extends ReturnType<typeof publicConfig> {}
}
