import { existsSync } from 'node:fs'
import { INBOX_SETTINGS } from '@hull/inbox'
import { MONITORING_SETTINGS } from '@hull/monitoring'
import { findOriginWarnings, isLocal, readSettings, SHELL_SETTINGS } from '@hull/shell'
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

/**
 * Reads the configuration.
 * @throws ConfigInvalid naming each variable that is wrong, and what it takes; never a secret
 */
export function readConfig(env: Record<string, string | undefined>) {
  const { values, warnings } = readSettings(SETTINGS, env)
  const local = isLocal(values.host, values.baseUrl, values.trustProxy)
  return Object.freeze({
    ...values,
    /** True if HOST is loopback, and BASE_URL loopback, or unset without TRUST_PROXY. */
    local,
    lab: values.lab ?? local,
    signInPath: values.signInPath ?? ((values.lab ?? local) ? '/lab/sign-in' : undefined),
    tracesSampleRate: values.tracesSampleRate ?? (local ? 1 : 0.1),
    traceTargets: Object.freeze(values.traceTargets ?? []),
    redirectOrigins: Object.freeze(values.redirectOrigins ?? []),
    /** Log messages about environment variables that look like misspelt settings, and about a missing BASE_URL. */
    warnings: Object.freeze([...warnings, ...findOriginWarnings({ local, baseUrl: values.baseUrl })])
  })
}

/** The application's configuration: the value of each setting, or undefined if it has neither a value nor a default. */
export type Config = ReturnType<typeof readConfig>

/**
 * Reads the configuration from the environment, and from a `.env` file for variables that are not set.
 * @param options.dev whether ENVIRONMENT is `development` if it is not set
 */
export function loadConfig({ dev = false } = {}): Config {
  if (existsSync('.env')) process.loadEnvFile('.env')
  return readConfig({ ...(dev && { ENVIRONMENT: 'development' }), ...process.env })
}

/** The values that a browser may see, listed by hand. */
export const publicConfig = ({ environment }: Config) => ({ environment })

declare module 'fastify' {
  interface HullConfig extends Config {}
  interface HullPublicConfig extends ReturnType<typeof publicConfig> {}
}
