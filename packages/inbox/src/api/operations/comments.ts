import { z } from 'zod'
import type { Reach } from '../../access/reach.ts'
import type { CommentRow } from '../../queries/issues/issue-types.ts'
import { defineOperation } from '../operation.ts'
import { id, IssueId, page } from '../params.ts'
import { Next, Time, toTime } from '../results.ts'

const Comment = z.object({
  id: z.int(),
  at: Time,
  person: z.string().optional(),
  text: z.string()
})

const toComment = ({ id, at, who, text }: CommentRow): z.input<typeof Comment> => ({
  id,
  at: toTime(at),
  person: who,
  text
})

const CommentId = z.object({ ...IssueId.shape, comment: id.describe('Id of the comment') })

export const commentOperations = {
  listComments: defineOperation({
    summary: 'List comments on an issue, newest first',
    scope: 'read',
    input: z.object({ ...IssueId.shape, ...page }),
    output: z.object({ comments: z.array(Comment), next: Next }),
    async run({ inbox }, { id, limit, cursor }) {
      const { comments, next } = await inbox.queries.listComments({ id, limit, cursor })
      return { comments: comments.map(toComment), next }
    },
    tool: { name: 'list_comments', description: 'Lists the comments on an issue, newest first.' }
  }),

  addComment: defineOperation({
    summary: 'Comment on an issue',
    scope: 'write',
    input: z.object({ ...IssueId.shape, text: z.string() }),
    output: Comment,
    run: async ({ inbox, token }, { id, text }) =>
      findComment(inbox, id, await inbox.changes.addComment({ issue: id, text, who: token.person })),
    tool: {
      name: 'comment_on_issue',
      description: 'Adds a comment to an issue, in the name of the person who created the token.'
    }
  }),

  changeComment: defineOperation({
    summary: 'Change a comment of the person who created the token',
    scope: 'write',
    input: CommentId.extend({ text: z.string() }),
    output: Comment,
    async run({ inbox, token }, { id, comment, text }) {
      await inbox.changes.changeComment({ issue: id, comment, text, who: token.person })
      return findComment(inbox, id, comment)
    }
  }),

  removeComment: defineOperation({
    summary: 'Delete a comment of the person who created the token',
    scope: 'write',
    input: CommentId,
    output: z.object({}),
    async run({ inbox, token }, { id, comment }) {
      await inbox.changes.removeComment({ issue: id, comment, who: token.person })
      return {}
    }
  })
}

async function findComment({ queries }: Reach, id: number, newest: number) {
  const { comments } = await queries.listComments({ id, newest, limit: 1 })
  return toComment(comments[0]!)
}
