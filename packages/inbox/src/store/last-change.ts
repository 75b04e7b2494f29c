import type { Store } from './store.ts'

/** Asks for the newest change in an issue's activity, and the name of its person. A comment is no change. */
export function askLastChange(
  store: Store,
  issue: number
): () => { id: number; at: number; name: string | null } | undefined {
  const rows = store.ask<{ id: number; at: number; name: string | null }>(
    `SELECT activity.id, activity.at, person.name FROM activity LEFT JOIN person ON person.id = activity.who
     WHERE issue = ? AND kind <> 'commented' ORDER BY activity.id DESC LIMIT 1`,
    issue
  )
  return () => rows()[0]
}
