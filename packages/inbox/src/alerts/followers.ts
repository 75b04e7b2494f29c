import { trustedNow } from '@hull/common/trusted-clock.ts'
import { askReaders } from '../store/people.ts'
import type { Store } from '../store/store.ts'
import { addToDraft } from './drafts.ts'
import type { DraftItem } from './draft.ts'
import type { NewsKind, RuleKind } from './types.ts'

interface News {
  issue: number
  project: number
  kind: NewsKind | RuleKind
  /** Milliseconds since the epoch, by the wall clock. */
  at: number
  /** Person who made the change, and is not told. @default an event */
  who?: number
  /** Name of the person to whom the issue was assigned. */
  detail?: string | undefined
  /** Id of a comment. */
  comment?: number
}

/** Makes people follow an issue. */
export function follow(store: Store, issue: number, people: readonly number[]): void {
  for (const person of people)
    store.write('INSERT INTO issue_follower (issue, person) VALUES (?, ?) ON CONFLICT DO NOTHING', issue, person)
}

/**
 * Adds a change to the next mail of each follower, except the person who made it. Call it in the transaction of the
 * change. The mail leaves if its person can still read the project.
 * @param options `mentioned`: people who are notified that they are mentioned, instead of the comment. `onlyThem`:
 *   nobody else is notified
 */
export function tellFollowers(
  store: Store,
  { issue, project, kind, at, who, detail, comment }: News,
  { mentioned = [], onlyThem = false }: { mentioned?: readonly number[]; onlyThem?: boolean } = {}
): void {
  const channels = store.all<{ id: number; person: number }>(
    `SELECT c.id, c.person FROM issue_follower f JOIN alert_channel c ON c.person = f.person
     WHERE f.issue = ? AND f.person IS DISTINCT FROM ? AND c.paused IS NULL`,
    issue,
    who ?? null
  )
  if (channels.length === 0) return
  const by = who === undefined ? undefined : store.get<{ name: string }>('SELECT name FROM person WHERE id = ?', who)
  for (const { id: channel, person } of channels) {
    if (onlyThem && !mentioned.includes(person)) continue
    const item: DraftItem = {
      kind: mentioned.includes(person) ? 'mentioned' : kind,
      at,
      issue,
      ...(by && { by: by.name }),
      ...(detail !== undefined && { detail }),
      ...(comment !== undefined && { comment })
    }
    addToDraft(store, { channel, project }, [item], trustedNow() - store.clockAhead)
  }
}

/** People who can read the project and whose names are in the text behind an `@`: the longest name at each place. */
export function findMentioned(store: Store, text: string, project: number): number[] {
  if (!text.includes('@')) return []
  const people = askReaders(store, [project])()
  const longestFirst = people.map(({ name }) => name).sort((a, b) => b.length - a.length)
  const names = longestFirst.map((name) => RegExp.escape(name)).join('|')
  const mentions = text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])@(${names})(?![\\p{L}\\p{N}])`, 'giu'))
  const mentioned = new Set([...mentions].map(([, name]) => name!.toLowerCase()))
  return people.filter(({ name }) => mentioned.has(name.toLowerCase())).map(({ id }) => id)
}
