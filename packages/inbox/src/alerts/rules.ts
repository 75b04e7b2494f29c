import type { RuleInput } from '../mutations/alert-types.ts'
import type { Store } from '../store/store.ts'

/** Rules of all projects. */
export const readRules = (store: Store): RuleInput[] =>
  store
    .all<Omit<RuleInput, 'environments'> & { environments: string }>(
      'SELECT project, kind, channel, environments FROM alert_rule'
    )
    .map(({ environments, ...rule }) => ({ ...rule, environments: JSON.parse(environments) as string[] }))

/** Returns the names in a list such as `production, staging`, each once. */
export const parseNames = (list: string): string[] => [
  ...new Set(
    list
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
  )
]
