import type { IssueState } from '../../../store/model.ts'

const WORDS = {
  new: 'New',
  unresolved: 'Unresolved',
  regressed: 'Regressed',
  resolved: 'Resolved',
  ignored: 'Ignored'
} as const

type ShownState = keyof typeof WORDS

export const shownState = ({ state, isNew }: { state: IssueState; isNew: boolean }): ShownState =>
  isNew && state === 'unresolved' ? 'new' : state

/** An issue's state as icon and word. @param compact shows the icon only, with the word for screen readers */
export function StateDot({ state, compact = false }: { state: ShownState; compact?: boolean }) {
  return (
    <span className={`issue-state issue-state-${state}`} title={compact ? WORDS[state] : undefined}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        {SHAPES[state]}
      </svg>
      <span className={compact ? 'visually-hidden' : undefined}>{WORDS[state]}</span>
    </span>
  )
}

/** New is a disc, ongoing a ring, regressed a diamond, resolved a tick, ignored a line. */
const SHAPES = {
  new: <circle cx="6" cy="6" r="4.5" fill="currentColor" />,
  unresolved: <circle cx="6" cy="6" r="3.75" fill="none" stroke="currentColor" strokeWidth="1.75" />,
  regressed: <path d="M6 .8 11.2 6 6 11.2.8 6Z" fill="currentColor" />,
  resolved: <path d="m2 6.4 2.7 2.7L10 3.4" fill="none" stroke="currentColor" strokeWidth="1.75" />,
  ignored: <path d="M2 6h8" fill="none" stroke="currentColor" strokeWidth="1.75" />
}
