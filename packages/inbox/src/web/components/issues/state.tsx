import { capitalise } from '../shared/format.ts'
import type { IssueState } from '../../../store/model.ts'

type ShownState = IssueState | 'new'

export const shownState = ({ state, isNew }: { state: IssueState; isNew: boolean }): ShownState =>
  isNew && state === 'unresolved' ? 'new' : state

/** An issue's state as icon and word. @param compact shows the icon only, with the word for screen readers */
export function StateDot({ state, compact = false }: { state: ShownState; compact?: boolean }) {
  const word = capitalise(state)
  return (
    <span className={`issue-state issue-state-${state}`} title={compact ? word : undefined}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        {SHAPES[state]}
      </svg>
      <span className={compact ? 'visually-hidden' : undefined}>{word}</span>
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
