import type { Store } from '../store/store.ts'
import type { AlertKind } from './types.ts'

/** Records a change of an issue's state if a rule of its project names it. Call it in the transaction of the change. */
export function addAlertFact(
  store: Store,
  { project, kind, issue, at }: { project: number; kind: AlertKind; issue: number; at: number }
): void {
  store.run(
    `INSERT INTO alert_fact (project, kind, issue, at)
     SELECT ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM alert_rule WHERE project = ? AND kind = ?)`,
    project,
    kind,
    issue,
    at,
    project,
    kind
  )
}
