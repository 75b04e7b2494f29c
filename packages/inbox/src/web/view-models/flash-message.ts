import type { Inbox } from '../../store/inbox.ts'
import { clip } from '@hull/common/visible-text.ts'
import type { Ctx } from '@hull/shell/client'
import { readNumbers, type Done } from './change.ts'

/** What the page after a change says of it. */
export interface FlashMessage {
  done: string
  count: number
  undo: number[]
  /** What others had done meanwhile, which was left as it is. */
  conflicts: { id: number; title: string; kind: string; who?: string; at: number }[]
}

/** Conflicts that are told one by one. */
const MAX_CONFLICTS = 5

/** What says on the next page what was done: spent by the page that shows it, so that no other look at it repeats it. */
const COOKIE = 'inbox-done'

/** Seconds for which the next page may be late. */
const COOKIE_AGE = 60

/** Characters of a cookie: browsers take 4096 with its name and what escaping adds. Beyond it nothing can be taken back. */
const MAX_COOKIE = 3_500

/** Has the page at `to` tell of a change. */
export function setFlashMessage(
  { setCookie }: Pick<Ctx, 'setCookie'>,
  { done, count, undo, conflicts }: Done,
  to: string
) {
  const write = (undo: number[]) =>
    new URLSearchParams({
      at: toPlace(to),
      done,
      count: String(count),
      undo: undo.join('.'),
      conflict: conflicts.slice(0, MAX_CONFLICTS).join('.')
    }).toString()
  const whole = write(undo)
  setCookie(COOKIE, whole.length > MAX_COOKIE ? write([]) : whole, { maxAge: COOKIE_AGE })
}

/** What was just done, told once, by the page that it was left for. What others did is asked anew. */
export async function takeFlashMessage(
  { queries }: Pick<Inbox, 'queries'>,
  { cookies, pathname, search, setCookie }: Pick<Ctx, 'cookies' | 'pathname' | 'search' | 'setCookie'>
): Promise<FlashMessage | undefined> {
  const left = new URLSearchParams(cookies[COOKIE] ?? '')
  const done = left.get('done')
  if (done === null || left.get('at') !== toPlace(`${pathname}?${search}`)) return undefined
  setCookie(COOKIE, '', { maxAge: 0 })
  const numbersOf = (name: string) => readNumbers(left.get(name)?.replaceAll('.', ',') ?? null)
  const conflicts = await Promise.all(
    numbersOf('conflict')
      .slice(0, MAX_CONFLICTS)
      .map((id) => queries.getIssue({ id }).catch(ignoreMissing))
  )
  return {
    done,
    count: numbersOf('count')[0] ?? 0,
    undo: numbersOf('undo'),
    conflicts: conflicts.flatMap((issue) => {
      const last = issue?.activity[0]
      if (!issue || !last) return []
      return [{ id: issue.id, title: clip(issue.type, 80), kind: last.kind, who: last.who, at: last.at }]
    })
  }
}

/** Path and query, written one way. */
function toPlace(href: string): string {
  const { pathname, searchParams } = new URL(href, 'http://here.invalid')
  return `${pathname}?${searchParams}`
}

function ignoreMissing(error: { code?: unknown }): undefined {
  if (error.code !== 'APP_INBOX_ISSUE_NOT_FOUND') throw error
}
