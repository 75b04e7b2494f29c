import type { Store } from '../store/store.ts'

/** How many of each kind a project may have: rollups hold a row for each of them, and anybody may send names. Ours. */
const MOST = { browser: 500, server: 500, environment: 50, drop: 200 } as const

export type NameKind = keyof typeof MOST

/** What stands for all names past the bound. */
export const OTHERS = '(others)'

/**
 * The name itself as long as the project has not too many of its kind, {@link OTHERS} otherwise: a route of one side, an
 * environment, or what was dropped and why. Names that are not seen any more make room, with the retention.
 * @param at milliseconds since the epoch
 */
export function knownName(store: Store, project: number, kind: NameKind, name: string, at: number): string {
  const day = Math.floor(at / 86_400_000)
  const known = store.get<{ day: number }>(
    'SELECT last_day AS day FROM known_name WHERE project = ? AND kind = ? AND name = ?',
    project,
    kind,
    name
  )
  if (known) {
    if (known.day < day)
      store.run(
        'UPDATE known_name SET last_day = ? WHERE project = ? AND kind = ? AND name = ?',
        day,
        project,
        kind,
        name
      )
    return name
  }
  const { names } = store.get<{ names: number }>(
    'SELECT count(*) AS names FROM known_name WHERE project = ? AND kind = ?',
    project,
    kind
  )!
  if (names >= MOST[kind]) return OTHERS
  store.run('INSERT INTO known_name (project, kind, name, last_day) VALUES (?, ?, ?, ?)', project, kind, name, day)
  return name
}
