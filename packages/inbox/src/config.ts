import { existsSync } from 'node:fs'
import { INBOX_SETTINGS } from './settings.ts'
import { isLocal, readSettings, SHELL_SETTINGS } from '@hull/shell'

const { inbox: _always, ...OWN_SETTINGS } = INBOX_SETTINGS

/** Every setting of the inbox that runs alone; README.md lists those that it needs. */
export const SETTINGS = { ...SHELL_SETTINGS, ...OWN_SETTINGS }

/** Reads the configuration. @throws ConfigInvalid naming each variable that is wrong */
export function readInboxConfig(env: Record<string, string | undefined>) {
  const { values, warnings } = readSettings(SETTINGS, env)
  return {
    ...values,
    /** Only this machine is served. */
    local: isLocal(values.host, values.baseUrl),
    /** Sentences for the log, about names that look like misspelt settings. */
    warnings
  }
}

/** A value for each setting, undefined where one has neither a value nor a default. */
export type InboxConfig = ReturnType<typeof readInboxConfig>

/** The configuration of this process: its environment, and a `.env` file for what that does not set. */
export function loadInboxConfig(): InboxConfig {
  if (existsSync('.env')) process.loadEnvFile('.env')
  return readInboxConfig(process.env)
}
