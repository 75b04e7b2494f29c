import { isErrorCode } from '@hull/common/is-error-code.ts'
import type { Inbox } from '../../store/inbox.ts'
import { clip } from '@hull/common/visible-text.ts'
import type { Saved } from '../components/shared/flash-message.tsx'
import type { Ctx } from '@hull/shell/client'
import { readNumbers, type Done } from './change.ts'

/** Result of a change, shown once by the next page. */
export interface FlashMessage {
  done: string
  count: number
  undo: number[]
  /** Conflicting changes by others, which were kept. */
  conflicts: { id: number; title: string; kind: string; who?: string; at: number }[]
  /** Number of further conflicts. */
  others: number
}

/** Maximum conflicts to list one by one. */
const MAX_CONFLICTS = 5

/** Cookie with the result of a change. The page that shows it deletes it, so that no other page repeats it. */
const COOKIE = 'inbox-done'

/** Max-Age in seconds: how late the next page may be. */
const COOKIE_AGE = 60

/**
 * Maximum characters of the cookie's value. Browsers allow 4,096 with name and escapes. A longer result cannot be
 * undone.
 */
const MAX_COOKIE = 3_500

/** Makes the page at `to` show the result of a change. */
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
      conflict: conflicts.slice(0, MAX_CONFLICTS).join('.'),
      others: String(Math.max(0, conflicts.length - MAX_CONFLICTS))
    }).toString()
  const whole = write(undo)
  setCookie(COOKIE, whole.length > MAX_COOKIE ? write([]) : whole, { maxAge: COOKIE_AGE })
}

/** Makes the current page say what was saved. */
export function setSavedMessage(ctx: Pick<Ctx, 'pathname' | 'setCookie'>, saved: Saved): void {
  setFlashMessage(ctx, { done: saved, count: 0, undo: [], conflicts: [] }, ctx.pathname)
}

/** Result of the last change, shown once, by the page it was meant for. Conflicts are read from the store again. */
export async function takeFlashMessage(
  { queries }: Pick<Inbox, 'queries'>,
  { cookies, pathname, search, setCookie }: Pick<Ctx, 'cookies' | 'pathname' | 'search' | 'setCookie'>
): Promise<FlashMessage | undefined> {
  const message = new URLSearchParams(cookies[COOKIE] ?? '')
  const done = message.get('done')
  if (done === null || message.get('at') !== toPlace(`${pathname}?${search}`)) return undefined
  setCookie(COOKIE, '', { maxAge: 0 })
  const numbersOf = (name: string) => readNumbers(message.get(name)?.replaceAll('.', ',') ?? null)
  const conflicts = await Promise.all(
    numbersOf('conflict')
      .slice(0, MAX_CONFLICTS)
      .map((id) => queries.getIssue({ id }).catch(ignoreMissing))
  )
  return {
    done,
    count: numbersOf('count')[0] ?? 0,
    undo: numbersOf('undo'),
    others: numbersOf('others')[0] ?? 0,
    conflicts: conflicts.flatMap((issue) => {
      const last = issue?.activity.find(({ isLastChange }) => isLastChange)
      if (!issue || !last) return []
      return [{ id: issue.id, title: clip(issue.type, 80), kind: last.kind, who: last.who, at: last.at }]
    })
  }
}

/** Path and query in a normal form. */
function toPlace(href: string): string {
  const { pathname, searchParams } = new URL(href, 'http://here.invalid')
  return `${pathname}?${searchParams}`
}

function ignoreMissing(error: unknown): undefined {
  if (!isErrorCode(error, 'APP_INBOX_ISSUE_NOT_FOUND')) throw error
}
