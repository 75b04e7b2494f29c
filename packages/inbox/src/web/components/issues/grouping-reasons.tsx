import type { IssueDetail } from '../../../queries/issues/issue-types.ts'
import type { Grouping } from '../../../store/model.ts'
import { Text } from '../shared/text.tsx'
import { TimeAgo } from '../shared/time.tsx'

const REASONS: Record<Grouping['why']['by'], string> = {
  fingerprint: 'Same custom fingerprint',
  frames: 'Same error type and same innermost functions of your code',
  message: 'Same error type, message (ignoring numbers, quoted text and ids) and route'
}

interface GroupingReasonsProps {
  keys: IssueDetail['keys']
  action: string
  canChange: boolean
}

/** Explains each grouping key of an issue. */
export function GroupingReasons({ keys, action, canChange }: GroupingReasonsProps) {
  return (
    <ul className="grouping-reasons">
      {keys.map(({ id, why, created, mergedFrom }) => (
        <li key={id}>
          <p>
            {REASONS[why.by]}
            {mergedFrom !== undefined && <span className="quiet">, merged into this one</span>}
          </p>
          <ol className="grouping-parts">
            {why.parts.map((part, i) => (
              // oxlint-disable-next-line react/no-array-index-key
              <li key={i}>
                <Text max={200}>{part}</Text>
              </li>
            ))}
          </ol>
          <div className="quiet small">
            since <TimeAgo at={created} />
            {keys.length > 1 && canChange && (
              <form method="post" action={action} className="grouping-split" data-keep-scroll>
                <input type="hidden" name="key" value={id} />
                <button type="submit" className="text-button" name="do" value="unmerge">
                  Split into its own issue
                </button>
              </form>
            )}
          </div>
        </li>
      ))}
    </ul>
  )
}
