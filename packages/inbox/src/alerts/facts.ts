import type { Store } from '../store/store.ts'
import type { RuleKind } from './types.ts'

/**
 * Records a change of an issue's or a monitor's state if a rule of its project names it. Call it in the transaction of the change.
 * @param subject id of the issue or the monitor
 */
export function addAlertFact(
  store: Store,
  { project, kind, subject, at }: { project: number; kind: RuleKind; subject: number; at: number }
): void {
  store.write(
    `INSERT INTO alert_fact (project, kind, subject, at)
     SELECT ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM alert_rule WHERE project = ? AND kind = ?)`,
    project,
    kind,
    subject,
    at,
    project,
    kind
  )
}
