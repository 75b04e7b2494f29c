import type { ActivityRow } from '../../queries/types.ts'
import { countOf } from './numbers.ts'
import { Text } from './text.tsx'
import { TimeAgo, Time } from './time.tsx'

interface ActivityProps {
  activity: ActivityRow[]
  /** Where the form that takes a change back is posted. */
  action: string
  canChange: boolean
}

/** Who did what, and when; the last change can be taken back. */
export function Activity({ activity, action, canChange }: ActivityProps) {
  return (
    <ol className="activity">
      {activity.map(({ id, at, who, kind, data, canUndo }) => (
        <li key={id}>
          <span>
            {who === undefined ? null : (
              <b>
                <Text max={60}>{who}</Text>
              </b>
            )}{' '}
            <Deed kind={kind} data={data} isOwn={who !== undefined} />
          </span>
          <span className="quiet">
            <TimeAgo at={at} />
          </span>
          {canUndo && canChange && (
            <form method="post" action={action} data-keep-scroll data-replace>
              <input type="hidden" name="activities" value={id} />
              <button type="submit" className="text-button" name="do" value="undo">
                Undo
              </button>
            </form>
          )}
        </li>
      ))}
    </ol>
  )
}

/** What was done. Names of what it was done with come from the store: they are text like any other. */
function Deed({ kind, data, isOwn }: Pick<ActivityRow, 'kind' | 'data'> & { isOwn: boolean }) {
  const release = textOf(data.release)
  const inRelease = release ? (
    <>
      {' in '}
      <Text max={60}>{release}</Text>
    </>
  ) : null
  const begin = (sentence: string) => (isOwn ? sentence : sentence.slice(0, 1).toUpperCase() + sentence.slice(1))
  switch (kind) {
    case 'created':
      return <>First seen{inRelease}</>
    case 'regressed':
      return <>Regressed{inRelease}</>
    case 'resolved':
      return (
        <>
          {begin('resolved this issue')}
          {data.inNext ? ' in the next release' : inRelease}
        </>
      )
    case 'ignored':
      return (
        <>
          {begin('ignored this issue')}
          {typeof data.events === 'number'
            ? ` until ${countOf(data.events, 'more event', 'more events')}`
            : typeof data.until === 'number'
              ? [' until ', <Time key="until" at={data.until} />]
              : ' forever'}
        </>
      )
    case 'reopened':
      return <>{isOwn ? 'reopened this issue' : 'Reopened: the condition for ignoring it was reached'}</>
    case 'merged':
      return (
        <>
          {begin('merged')}{' '}
          {typeof data.issues === 'number'
            ? `${countOf(data.issues, 'issue')} into this one`
            : 'another issue into this one'}
        </>
      )
    case 'unmerged':
      return <>{begin('split a part into an issue of its own')}</>
    case 'undone':
      return <>{begin('undid the last change')}</>
    default:
      return <Text max={60}>{kind}</Text>
  }
}

const textOf = (value: ActivityRow['data'][string] | undefined) => (typeof value === 'string' ? value : undefined)
