import { useState } from 'react'
import type { ChangeNotice as Notice } from '../../../lib/inbox/screens/notice.ts'
import { countOf } from './numbers.ts'
import { Text } from './text.tsx'
import { TimeAgo } from './time.tsx'

/** What a change is called once it is made, after the number of issues. */
const WORDS: Record<string, string> = {
  resolved: 'resolved',
  'resolved-next': 'resolved in the next release',
  ignored: 'ignored',
  reopened: 'reopened',
  merged: 'merged',
  deleted: 'deleted',
  undone: 'restored',
  unmerged: 'split off'
}

/** What a kind of activity says that somebody did. */
const DEEDS: Record<string, string> = {
  resolved: 'resolved',
  ignored: 'ignored',
  reopened: 'reopened',
  merged: 'merged',
  unmerged: 'split',
  undone: 'changed',
  regressed: 'reopened'
}

/**
 * After a change: what was done, Undo, and what somebody else had changed meanwhile. The server sends it once; it stays
 * while this page does, however often its data is asked for again. It floats, so that nothing moves when it appears.
 */
export function ChangeNotice({ notice, action }: { notice?: Notice; action: string }) {
  const [kept, setKept] = useState({ notice, action })
  if (notice && notice !== kept.notice) setKept({ notice, action })
  const shown = notice ?? (kept.action === action ? kept.notice : undefined)
  return shown ? <NoticeLine notice={shown} action={action} /> : null
}

function NoticeLine({ notice, action }: { notice: Notice; action: string }) {
  const { done, count, undo, conflicts } = notice
  const words = Object.hasOwn(WORDS, done) ? WORDS[done] : undefined
  if (!words) return null
  return (
    <div className={conflicts.length > 0 ? 'notice notice-warn change-notice' : 'notice change-notice'} role="status">
      <form method="post" action={action} className="row" data-keep-scroll data-replace>
        {(count > 0 || conflicts.length === 0) && <span>{`${countOf(count, 'issue')} ${words}.`}</span>}
        {undo.length > 0 && (
          <>
            <input type="hidden" name="do" value="undo" />
            <input type="hidden" name="activities" value={undo.join(',')} />
            <button type="submit" className="button">
              Undo
            </button>
          </>
        )}
      </form>
      {conflicts.map(({ id, title, kind, who, at }) => (
        <p key={id}>
          {who === undefined ? 'An event' : <Text max={40}>{who}</Text>}{' '}
          {Object.hasOwn(DEEDS, kind) ? DEEDS[kind] : 'changed'}{' '}
          <a href={`/inbox/issues/${id}`}>
            <Text>{title}</Text>
          </a>{' '}
          <TimeAgo at={at} />. Your change was not applied.
        </p>
      ))}
    </div>
  )
}
