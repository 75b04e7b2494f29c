import { existsSync } from 'node:fs'
import { INBOX_SETTINGS } from './settings.ts'
import { isLocal, readSettings, SHELL_SETTINGS } from '@hull/shell'

const { inbox: _always, ...OWN_SETTINGS } = INBOX_SETTINGS

/** Every setting of the inbox that runs alone; README.md lists those that it needs. */
export const SETTINGS = { ...SHELL_SETTINGS, ...OWN_SETTINGS }

type Settings = typeof SETTINGS
type Value<K extends keyof Settings> = ReturnType<Settings[K]['parse']>

/** Settings that may have no value. */
type Optional =
  | 'baseUrl'
  | 'release'
  | 'inboxPassword'
  | 'sessionSecret'
  | 'signInPath'
  | 'csp'
  | 'metricsToken'
  | 'redirectOrigins'

export type InboxConfig = { [K in Exclude<keyof Settings, Optional>]: Value<K> } & {
  [K in Optional]?: Value<K>
} & {
  /** Only this machine is served. */
  local: boolean
  /** Sentences for the log, about names that look like misspelt settings. */
  warnings: readonly string[]
}

/** Reads the configuration. @throws ConfigInvalid naming each variable that is wrong */
export function readInboxConfig(env: Record<string, string | undefined>): InboxConfig {
  const { values, warnings } = readSettings(SETTINGS, env)
  return { ...values, local: isLocal(values.host!, values.baseUrl), warnings } as InboxConfig
}

/** The configuration of this process: its environment, and a `.env` file for what that does not set. */
export function loadInboxConfig(): InboxConfig {
  if (existsSync('.env')) process.loadEnvFile('.env')
  return readInboxConfig(process.env)
}
