import { useEffect, useRef, useState } from 'react'
import { SubmitButton } from './controls.tsx'
import type { FlashMessage } from '../../view-models/flash-message.ts'
import { countOf } from './format.ts'
import { Text } from './text.tsx'
import { TimeAgo } from './time.tsx'

/** Text after the number of issues, by kind of change. */
const WORDS: Record<string, string> = {
  resolved: 'resolved',
  'resolved-next': 'resolved in the next release',
  ignored: 'ignored',
  reopened: 'reopened',
  assigned: 'assigned',
  merged: 'merged',
  deleted: 'deleted',
  undone: 'restored',
  unmerged: 'split off'
}

/** Messages after a change was saved on the settings or the account screen. */
const SENTENCES = {
  name: 'Name saved.',
  repository: 'Repository saved.',
  key: 'Key rotated.',
  channel: 'Channel saved.',
  secret: 'Secret rotated.',
  threshold: 'Threshold saved.',
  roles: 'Roles saved.',
  mail: 'Mail address saved.',
  'mail-confirmed': 'Mail address confirmed.',
  password: 'Password saved.'
}

/** The change that the settings or the account screen has just saved. */
export type Saved = keyof typeof SENTENCES

/** Text for a change made by somebody else, by kind of activity. */
const CHANGE_WORDS: Record<string, string> = {
  resolved: 'resolved',
  ignored: 'ignored',
  reopened: 'reopened',
  assigned: 'assigned',
  merged: 'merged',
  unmerged: 'split',
  regressed: 'reopened'
}

/** Messages whose page was left. Going back shows the data of that page again. */
const leftBehind = new WeakSet<FlashMessage>()

/**
 * Message after a change: the result, an Undo button, and conflicting changes by others. The server sends it once; it
 * stays until the page is left, even if the page's data is loaded again. It floats, so that nothing moves when it
 * appears.
 */
export function FlashMessageView({ flash, action }: { flash?: FlashMessage; action: string }) {
  const [kept, setKept] = useState({ flash, action, isDismissed: false })
  if (flash && flash !== kept.flash) setKept({ flash, action, isDismissed: false })
  const last = kept.flash
  useEffect(
    () => () => {
      if (last) leftBehind.add(last)
    },
    [last]
  )
  const newest = flash ?? (kept.action === action ? kept.flash : undefined)
  return (
    // Also without a message: most screen readers read only what is added to a region that they know.
    <div className="change-status" role="status">
      {newest && !kept.isDismissed && !leftBehind.has(newest) && (
        <FlashMessageLine flash={newest} action={action} dismiss={() => setKept({ ...kept, isDismissed: true })} />
      )}
    </div>
  )
}

interface FlashMessageLineProps {
  flash: FlashMessage
  action: string
  dismiss: () => void
}

function FlashMessageLine({ flash, action, dismiss }: FlashMessageLineProps) {
  const line = useRef<HTMLDivElement>(null)
  /** Element that had the focus before the message. */
  const before = useRef<Element>(null)
  const { done, count, undo, conflicts, others } = flash
  const sentence = Object.hasOwn(SENTENCES, done)
    ? SENTENCES[done as Saved]
    : Object.hasOwn(WORDS, done)
      ? `${countOf(count, 'issue')} ${WORDS[done]}.`
      : undefined
  if (!sentence) return null
  return (
    // not interactive: only records where the focus came from
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={line}
      className={conflicts.length > 0 ? 'notice notice-warn change-notice' : 'notice change-notice'}
      onFocus={({ relatedTarget }) => {
        if (!line.current?.contains(relatedTarget)) before.current = relatedTarget
      }}
    >
      <button
        type="button"
        className="change-dismiss needs-script"
        aria-label="Dismiss"
        title="Dismiss (Esc)"
        data-dismiss
        onClick={() => {
          if (line.current?.contains(document.activeElement)) focusAgain(before.current)
          dismiss()
        }}
      >
        <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
          <path d="m2 2 8 8m0-8-8 8" fill="none" stroke="currentColor" strokeWidth="1.5" />
        </svg>
      </button>
      <form method="post" action={action} className="row" data-keep-scroll data-replace>
        {(count > 0 || conflicts.length === 0) && <span>{sentence}</span>}
        {undo.length > 0 && (
          <>
            <input type="hidden" name="do" value="undo" />
            <input type="hidden" name="activities" value={undo.join(',')} />
            <SubmitButton label="Undo" />
          </>
        )}
      </form>
      {conflicts.map(({ id, title, kind, who, at }) => (
        <p key={id}>
          {who === undefined ? 'An event' : <Text max={40}>{who}</Text>}{' '}
          {Object.hasOwn(CHANGE_WORDS, kind) ? CHANGE_WORDS[kind] : 'changed'}{' '}
          <a href={`/inbox/issues/${id}`}>
            <Text>{title}</Text>
          </a>{' '}
          <TimeAgo at={at} />. Your change was not applied.
        </p>
      ))}
      {others > 0 && (
        <p>{`${countOf(others, 'further issue was changed by others, and was', 'further issues were changed by others, and were')} not changed again.`}</p>
      )}
    </div>
  )
}

/** Returns the focus to where it was, or to the content if that element is gone, without scrolling. */
function focusAgain(before: Element | null): void {
  const target =
    before instanceof HTMLElement && before.isConnected ? before : document.querySelector<HTMLElement>('#main')
  target?.focus({ preventScroll: true })
}
