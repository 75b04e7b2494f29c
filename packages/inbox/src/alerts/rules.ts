import type { RuleInput } from '../mutations/alert-types.ts'
import type { Store } from '../store/store.ts'

/** Columns of a rule, with its environments as they are stored. */
export type Stored<Rule extends { environments: string[] }> = Omit<Rule, 'environments'> & { environments: string }

/** Returns a rule as a plain object, with a list of its environments. */
export const toRule = <Row extends { environments: string }>({ environments, ...rule }: Row) => ({
  ...rule,
  environments: JSON.parse(environments) as string[]
})

/** Rules of all projects. */
export const readRules = (store: Store): RuleInput[] =>
  store.all<Stored<RuleInput>>('SELECT project, kind, channel, environments, level FROM alert_rule').map(toRule)

/** Returns the names in a list such as `production, staging`, each once. */
export const parseNames = (list: string): string[] => [
  ...new Set(
    list
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
  )
]
