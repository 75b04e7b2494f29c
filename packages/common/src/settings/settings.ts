import type { Parser } from './values.ts'
import { ConfigInvalid } from '../errors.ts'

/** One environment variable: how it is read, and what it means. */
export interface Setting<T> {
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

/** Has the compiler infer what a setting's value is, and whether it has a fallback. */
export function setting<T>(definition: Setting<T> & { fallback: string }): Setting<T> & { fallback: string }
export function setting<T>(definition: Setting<T>): Setting<T>
export function setting<T>(definition: Setting<T>): Setting<T> {
  return definition
}

type Settings = Record<string, Setting<unknown>>

type WithFallback<S extends Settings> = { [K in keyof S]: S[K] extends { fallback: string } ? K : never }[keyof S]

/** The values of settings; optional where a setting has no fallback. */
export type Values<S extends Settings> = { [K in WithFallback<S>]: ReturnType<S[K]['parse']> } & {
  [K in Exclude<keyof S, WithFallback<S>>]?: ReturnType<S[K]['parse']>
}

/**
 * Reads settings from an environment.
 * @returns the values, and sentences for the log about names that look like misspelt settings
 * @throws ConfigInvalid naming each variable that is wrong, and what it takes; never a secret
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
      problems.push(`${variable}${secret ? '' : `=${text}`}: it takes ${(error as Error).message}`)
    }
  }
  if (problems.length > 0) throw new ConfigInvalid(problems.join('\n'))
  const known = Object.values(settings).map(({ variable }) => variable)
  return { values: values as Values<S>, warnings: findMisspelt(Object.keys(env), known) }
}

/**
 * Names that are one edit away from a known one, as sentences for the log. Short names are left alone: too much of any
 * environment is one letter away from HOST.
 */
function findMisspelt(names: string[], known: string[]): string[] {
  const candidates = known.filter((name) => name.length > MAX_SHORT)
  return names.flatMap((name) => {
    const meant = known.includes(name) ? undefined : candidates.find((candidate) => isOneEdit(name, candidate))
    return meant ? [`${name} is no setting and does nothing: is ${meant} meant?`] : []
  })
}

/** Letters; HOST, PORT, LAB and CSP have no more. A guess. */
const MAX_SHORT = 4

/** Whether one letter is missing, too many or another one, or two have changed places. */
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
