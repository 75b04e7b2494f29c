import type { Inbox } from '../inbox.ts'
import { clip } from '../../common/visible-text.ts'
import { readNumbers } from './change.ts'

/** What the page after a change says of it. */
export interface ChangeNotice {
  done: string
  count: number
  undo: number[]
  /** What others had done meanwhile, which was left as it is. */
  conflicts: { id: number; title: string; kind: string; who?: string; at: number }[]
}

/** Conflicts that are told one by one. */
const MAX_CONFLICTS = 5

/** What the address says of a change that was just made. The address may be anybody's: what others did is asked anew. */
export async function readNotice(
  { queries }: Pick<Inbox, 'queries'>,
  search: URLSearchParams
): Promise<ChangeNotice | undefined> {
  const done = search.get('done')
  if (done === null) return undefined
  const conflicts = await Promise.all(
    readNumbers(search.get('conflict'))
      .slice(0, MAX_CONFLICTS)
      .map((id) => queries.getIssue({ id }).catch(ignoreMissing))
  )
  return {
    done,
    count: readNumbers(search.get('count'))[0] ?? 0,
    undo: readNumbers(search.get('undo')),
    conflicts: conflicts.flatMap((issue) => {
      const last = issue?.activity[0]
      if (!issue || !last) return []
      return [{ id: issue.id, title: clip(issue.type, 80), kind: last.kind, who: last.who, at: last.at }]
    })
  }
}

function ignoreMissing(error: { code?: unknown }): undefined {
  if (error.code !== 'APP_INBOX_ISSUE_NOT_FOUND') throw error
}
