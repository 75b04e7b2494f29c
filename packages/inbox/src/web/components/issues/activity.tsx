import type { ActivityRow, Assignee } from '../../../queries/issues/issue-types.ts'
import { Comment, type RefusedComment } from './comment.tsx'
import { capitalise, countOf } from '../shared/format.ts'
import { Text } from '../shared/text.tsx'
import { TimeAgo, Time } from '../shared/time.tsx'

interface ActivityProps {
  activity: ActivityRow[]
  /** Address that the Undo form posts to. */
  action: string
  canChange: boolean
  /** HTML of the comments, by the id of their entry. */
  comments: Record<number, string>
  /** Id of the signed-in person. */
  me: number
  /** People who can be mentioned in a comment. */
  people: Assignee[]
  refused?: RefusedComment
}

/** An issue's activity: who did what, and when. The newest change can be undone. */
export function Activity({ activity, action, canChange, comments, me, people, refused }: ActivityProps) {
  return (
    <ol className="activity">
      {activity.map(({ id, at, who, person, kind, data, canUndo }) => (
        <li key={id}>
          <span>
            {who === undefined ? null : (
              <b>
                <Text max={60}>{who}</Text>
              </b>
            )}{' '}
            <EntryText kind={kind} data={data} isOwn={who !== undefined} />
          </span>
          <span className="quiet">
            <TimeAgo at={at} />
          </span>
          {kind === 'commented' && (
            <Comment
              comment={{ id, data }}
              refused={refused?.id === id ? refused : undefined}
              html={comments[id] ?? ''}
              action={action}
              isOwn={canChange && person === me}
              people={people}
            />
          )}
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

/** Text of an entry. Names in it come from the store and are shown as plain text. */
function EntryText({ kind, data, isOwn }: Pick<ActivityRow, 'kind' | 'data'> & { isOwn: boolean }) {
  const { release } = data
  const inRelease = typeof release === 'string' && release !== '' && (
    <>
      {' in '}
      <Text max={60}>{release}</Text>
    </>
  )
  const begin = (sentence: string) => (isOwn ? sentence : capitalise(sentence))
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
    case 'ignored': {
      const more = typeof data.events === 'number' && countOf(data.events, 'more event', 'more events')
      return (
        <>
          {begin('ignored this issue')}
          {typeof data.until === 'number'
            ? [more ? ` until ${more} or ` : ' until ', <Time key="until" at={data.until} />]
            : more
              ? ` until ${more}`
              : ' forever'}
        </>
      )
    }
    case 'reopened':
      return <>{isOwn ? 'reopened this issue' : 'Reopened: the condition for ignoring it was reached'}</>
    case 'assigned':
      return typeof data.to === 'string' ? (
        <>
          {begin('assigned this issue to')} <Text max={60}>{data.to}</Text>
        </>
      ) : (
        <>{begin('removed the assignment')}</>
      )
    case 'merged':
      return (
        <>
          {begin('merged')}{' '}
          {typeof data.issues === 'number'
            ? `${countOf(data.issues, 'issue')} into this one`
            : 'this issue into another one'}
        </>
      )
    case 'unmerged':
      return (
        <>
          {begin(
            data.from === undefined ? 'split a part into an issue of its own' : 'split this issue off another one'
          )}
        </>
      )
    case 'commented':
      return <>{data.edited ? 'commented (edited)' : 'commented'}</>
    case 'undone':
      return <>{begin('undid the last change')}</>
    default:
      return <Text max={60}>{kind}</Text>
  }
}
