import type { Parser } from './values.ts'
import { ConfigInvalid, ConfigPartMissing } from '../errors.ts'

/** An environment variable: how to parse it, and what it means. */
export interface Setting<T> {
  variable: string
  /** Meaning, with its unit. */
  meaning: string
  /** Default, written as in the environment. Without it there is no default, or the one in `otherwise`. */
  fallback?: string
  /** Description of a default that is not a fixed value. */
  otherwise?: string
  /** Never repeat the value in a message. */
  secret?: boolean
  parse: Parser<T>
}

/** Defines a setting. The compiler infers its type from `parse`; without a `fallback`, its value may be undefined. */
export function setting<T>(definition: Setting<T> & { fallback: string }): Setting<T> & { fallback: string }
export function setting<T>(definition: Setting<T>): Setting<T>
export function setting<T>(definition: Setting<T>): Setting<T> {
  return definition
}

type Settings = Record<string, Setting<unknown>>

type WithFallback<S extends Settings> = { [K in keyof S]: S[K] extends { fallback: string } ? K : never }[keyof S]

/** Values of settings; optional if a setting has no fallback. */
export type Values<S extends Settings> = { [K in WithFallback<S>]: ReturnType<S[K]['parse']> } & {
  [K in Exclude<keyof S, WithFallback<S>>]?: ReturnType<S[K]['parse']>
}

/**
 * Reads settings from an environment.
 * @returns the values, and warnings for the log about names that look like misspelt settings
 * @throws ConfigInvalid with each invalid variable and its valid values; never contains a secret
 * @throws ConfigPartMissing if a variable belongs to a part that the application does not have
 */
export function readSettings<S extends Settings>(
  settings: S,
  env: Record<string, string | undefined>
): { values: Values<S>; warnings: string[] } {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, { variable, fallback, secret, parse }] of Object.entries(settings)) {
    const text = env[variable]?.trim() || fallback
    if (text === undefined) continue
    try {
      values[name] = parse(text)
    } catch (error) {
      problems.push(`${variable}${secret ? '' : `=${text}`}: expected ${(error as Error).message}`)
    }
  }
  if (problems.length > 0) throw new ConfigInvalid(problems.join('\n'))
  const known = Object.values(settings).map(({ variable }) => variable)
  checkParts(env, known)
  return { values: values as Values<S>, warnings: findMisspelt(Object.keys(env), known) }
}

/** Codes of errors that a setting causes. Some are of other packages. */
const CODES = new Set([
  'APP_CONFIG_INVALID',
  'APP_CONFIG_PART_MISSING',
  'APP_BROADCAST_PACKAGE_MISSING',
  'APP_BUILD_PLACE',
  'APP_MONITORING_ALIAS'
])

/**
 * Returns what a function makes of the settings at the start of a process, or its promise. If a setting is wrong, prints
 * the sentence without a stack, and exits with 1.
 */
export function loadOrExit<T>(load: () => T): T {
  try {
    const loaded = load()
    return loaded instanceof Promise ? (loaded.catch(exitIfWrong) as T) : loaded
  } catch (error) {
    return exitIfWrong(error)
  }
}

function exitIfWrong(error: unknown): never {
  if (!CODES.has(Object(error).code)) throw error
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(1)
}

/**
 * Parts that an application may lack, and their variables. A test compares them with the settings of each part. The
 * names are exact: a cluster sets variables such as INBOX_SERVICE_HOST for a service of its own.
 */
export const OPTIONAL_PARTS = [
  {
    part: 'the inbox',
    settings: 'INBOX_SETTINGS',
    install: ' and install @hull/inbox',
    variables: [
      'INBOX',
      'INBOX_PASSWORD',
      'INBOX_OIDC_ISSUER',
      'INBOX_OIDC_CLIENT_ID',
      'INBOX_OIDC_CLIENT_SECRET',
      'INBOX_OIDC_ROLES',
      'INBOX_OIDC_CLAIM',
      'INBOX_OIDC_SCOPE',
      'INBOX_RETENTION_DAYS',
      'INBOX_MAX_BYTES',
      'INBOX_ATTACHMENT_BYTES',
      'INBOX_ATTACHMENTS',
      'INBOX_PROJECT_ATTACHMENT_BYTES',
      'INBOX_KEY',
      'INBOX_KEY_RATE',
      'INBOX_UPLOAD_MAX_BYTES',
      'INBOX_SMTP_URL',
      'INBOX_MAIL_FROM',
      'INBOX_PRIVATE_TARGETS'
    ]
  },
  { part: 'the lab', settings: 'LAB_SETTINGS', install: '', variables: ['LAB'] }
] as const

function checkParts(env: Record<string, string | undefined>, known: string[]): void {
  for (const { part, settings, install, variables } of OPTIONAL_PARTS) {
    if (variables.some((name) => known.includes(name))) continue
    const ineffective = variables.filter((name) => !isOff(env[name]))
    if (ineffective.length > 0) throw new ConfigPartMissing(ineffective.join(', '), part, settings, install)
  }
}

/** Whether a variable is not set, or turns off what is not there. */
const isOff = (text: string | undefined) => !text?.trim() || /^(0|false|off|no)$/i.test(text.trim())

/**
 * Warnings about names that are one edit away from a known one. Ignores short names, because many variables are one
 * letter away from HOST.
 */
function findMisspelt(names: string[], known: string[]): string[] {
  const candidates = known.filter((name) => name.length > MAX_SHORT)
  return names.flatMap((name) => {
    const meant = known.includes(name) ? undefined : candidates.find((candidate) => isOneEdit(name, candidate))
    return meant ? [`${name} is not a setting and has no effect: did you mean ${meant}?`] : []
  })
}

/** Maximum letters of a short name: HOST, PORT, LAB and CSP. A guess. */
const MAX_SHORT = 4

/** Whether the names differ by one missing, additional or different letter, or by two swapped letters. */
function isOneEdit(one: string, other: string): boolean {
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  const [a, b] = [one.slice(start), other.slice(start)]
  return (
    a.slice(1) === b ||
    a === b.slice(1) ||
    a.slice(1) === b.slice(1) ||
    (a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2))
  )
}
