import { useId, type ReactNode } from 'react'
import { SubmitButton } from '../shared/controls.tsx'
import type { ActivityRow, Assignee } from '../../../queries/issues/issue-types.ts'
import type { Suggestions } from '../../../queries/issues/suggestions.ts'
import { MAX_COMMENT_LENGTH } from '../../comment-length.ts'
import { Menu } from '../shared/menu.tsx'
import { NO_SUGGESTIONS, useSuggestions } from '../search/suggestions.tsx'

interface CommentFormProps {
  action: string
  label: string
  text?: string
  refused?: RefusedComment
  /** Key under which the text is kept while the page is open, until it is sent. @default not kept */
  draft?: string
  /** People whose names are completed behind an `@`. */
  people: Assignee[]
  children: ReactNode
}

/** Texts that were not sent, in the browser: another form of the page, such as Resolve, renews the page. */
const drafts = new Map<string | undefined, string>()

/** Form for the text of a comment. @param props.children its buttons */
export function CommentForm({ action, label, text, refused, draft, people, children }: CommentFormProps) {
  const id = useId()
  const { field, list } = useSuggestions<HTMLTextAreaElement>({
    find: (text) => suggestNames(text, people),
    isMultiline: true
  })
  return (
    <form
      method="post"
      action={action}
      className="comment-form"
      data-keep-scroll
      data-replace
      onSubmit={() => drafts.delete(draft)}
    >
      <label htmlFor={id}>{label}</label>
      <div className="suggesting">
        <textarea
          className="input"
          id={id}
          name="text"
          rows={3}
          maxLength={MAX_COMMENT_LENGTH}
          defaultValue={refused?.text ?? text ?? drafts.get(draft)}
          aria-describedby={refused ? `${id}-error ${id}-hint` : `${id}-hint`}
          aria-invalid={refused ? true : undefined}
          required
          {...field}
          onInput={({ currentTarget }) => {
            field.onInput()
            if (draft !== undefined) drafts.set(draft, currentTarget.value)
          }}
        />
        {list}
      </div>
      {refused && (
        <p className="field-error" id={`${id}-error`} role="alert">
          {refused.error}
        </p>
      )}
      <small className="quiet" id={`${id}-hint`}>
        Markdown: **bold**, `code`, - lists, &gt; quotes, links. @Name sends a mail to a person.
      </small>
      <div className="row">{children}</div>
    </form>
  )
}

/** Maximum names in the list. */
const MAX_NAMES = 8

/** Names that continue the name that begins with the last `@` of a text. */
function suggestNames(text: string, people: Assignee[]): Suggestions {
  const [, typed] = /(?<![\p{L}\p{N}])@([^@\n]*)$/u.exec(text) ?? []
  if (typed === undefined) return NO_SUGGESTIONS
  const names = people.map(({ name }) => name).filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()))
  return { from: text.length - typed.length, texts: names.slice(0, MAX_NAMES).map((name) => `${name} `) }
}

/** A comment that was not stored. */
export interface RefusedComment {
  /** The comment that it should replace; undefined for a new one. */
  id?: number
  text: string
  /** Why it was refused. */
  error: string
}

interface CommentProps {
  comment: Pick<ActivityRow, 'id' | 'data'>
  html: string
  refused?: RefusedComment
  action: string
  /** Whether the person may change and delete it. */
  isOwn: boolean
  people: Assignee[]
}

/** A comment, and for its author the ways to change it. */
export function Comment({ comment: { id, data }, html, refused, action, isOwn, people }: CommentProps) {
  return (
    <>
      {/* The server made it of Markdown, in which HTML is text. */}
      <div className="comment" dangerouslySetInnerHTML={{ __html: html }} />
      {isOwn && (
        <Menu className="menu-narrow comment-menu" purpose="Change comment" label="Edit">
          <CommentForm action={action} label="Comment" text={String(data.text)} refused={refused} people={people}>
            <input type="hidden" name="comment" value={id} />
            <SubmitButton kind="main" name="do" value="change-comment" label="Save" />
            <SubmitButton kind="bad" name="do" value="remove-comment" formNoValidate label="Delete" />
          </CommentForm>
        </Menu>
      )}
    </>
  )
}
