import type { Store } from '../store/store.ts'
import type { RuleKind } from './types.ts'

/** A change of an issue's or a monitor's state, or feedback. */
export interface AlertFact {
  project: number
  kind: RuleKind
  /** Id of the issue, the monitor or the feedback. */
  subject: number
  /** Milliseconds since the epoch. */
  at: number
  /** Environment of the event, the monitor or the feedback. @default no event made the change */
  environment?: string
  /**
   * Whether the issue is known, but has its first event in this environment. Only rules of the environment name that.
   * @default false
   */
  isKnownElsewhere?: boolean
}

/** Records a change if a rule of its project names its kind. Call it in the transaction of the change. */
export function addAlertFact(
  store: Store,
  { project, kind, subject, at, environment, isKnownElsewhere = false }: AlertFact
): void {
  store.write(
    `INSERT INTO alert_fact (project, kind, subject, at, environment, is_known_elsewhere)
     SELECT ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM alert_rule WHERE project = ? AND kind = ?)`,
    project,
    kind,
    subject,
    at,
    environment ?? null,
    Number(isKnownElsewhere),
    project,
    kind
  )
}
