import { useId, type ReactNode } from 'react'
import type { ActivityRow } from '../../queries/types.ts'
import { MAX_COMMENT_LENGTH } from '../comment-length.ts'
import { Menu } from './menu.tsx'

interface CommentFormProps {
  action: string
  label: string
  text?: string
  children: ReactNode
}

/** Form for the text of a comment. @param props.children its buttons */
export function CommentForm({ action, label, text, children }: CommentFormProps) {
  const id = useId()
  return (
    <form method="post" action={action} className="comment-form" data-keep-scroll>
      <label htmlFor={id}>{label}</label>
      <textarea
        className="input"
        id={id}
        name="text"
        rows={3}
        maxLength={MAX_COMMENT_LENGTH}
        defaultValue={text}
        aria-describedby={`${id}-hint`}
        required
      />
      <small className="quiet" id={`${id}-hint`}>
        Markdown: **bold**, `code`, - lists, &gt; quotes, links. @Name sends a mail to a person.
      </small>
      <div className="row">{children}</div>
    </form>
  )
}

interface CommentProps {
  comment: Pick<ActivityRow, 'id' | 'data'>
  html: string
  action: string
  /** Whether the person may change and delete it. */
  isOwn: boolean
}

/** A comment, and for its author the ways to change it. */
export function Comment({ comment: { id, data }, html, action, isOwn }: CommentProps) {
  return (
    <>
      {/* The server made it of Markdown, in which HTML is text. */}
      <div className="comment" dangerouslySetInnerHTML={{ __html: html }} />
      {isOwn && (
        <Menu className="menu-narrow comment-menu" purpose="Change comment" label="Edit">
          <CommentForm action={action} label="Comment" text={String(data.text)}>
            <input type="hidden" name="comment" value={id} />
            <button type="submit" className="button button-main" name="do" value="change-comment">
              Save
            </button>
            <button type="submit" className="button button-bad" name="do" value="remove-comment" formNoValidate>
              Delete
            </button>
          </CommentForm>
        </Menu>
      )}
    </>
  )
}
