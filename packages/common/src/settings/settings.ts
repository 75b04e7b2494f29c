import { findMisspelt } from './misspelt.ts'
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
