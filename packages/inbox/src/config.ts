import { existsSync } from 'node:fs'
import { INBOX_SETTINGS } from './settings.ts'
import { MONITORING_SETTINGS } from '@hull/monitoring'
import { findOriginWarnings, isLocal, readSettings, SHELL_SETTINGS } from '@hull/shell'

const { inbox: _always, ...OWN_SETTINGS } = INBOX_SETTINGS
const { spoolMaxBytes, spoolMaxAge } = MONITORING_SETTINGS

/** All settings of the standalone inbox. README.md lists those that it needs. */
export const SETTINGS = { ...SHELL_SETTINGS, ...OWN_SETTINGS, spoolMaxBytes, spoolMaxAge }

/** Reads the configuration. @throws ConfigInvalid naming each invalid variable */
export function readInboxConfig(env: Record<string, string | undefined>) {
  // Commands run in the environment of an application, which may have a lab.
  const { values, warnings } = readSettings(SETTINGS, { ...env, LAB: undefined })
  const local = isLocal(values.host, values.baseUrl, values.trustProxy)
  return {
    ...values,
    /** Whether the server can only be reached from this machine. */
    local,
    /** Messages for the log about names that look like misspelt settings, and about a missing BASE_URL. */
    warnings: [...warnings, ...findOriginWarnings({ local, baseUrl: values.baseUrl })]
  }
}

/** The value of each setting; undefined if a setting has neither a value nor a default. */
export type InboxConfig = ReturnType<typeof readInboxConfig>

/** Reads this process's configuration from its environment and, for variables that are not set there, a `.env` file. */
export function loadInboxConfig(): InboxConfig {
  if (existsSync('.env')) process.loadEnvFile('.env')
  return readInboxConfig(process.env)
}
