import { z } from 'zod'
import type { Reach } from '../access/reach.ts'
import { InboxAssigneeInvalid, InboxIssueChanged, InboxRequestInvalid } from '../errors.ts'
import type { Changed } from '../mutations/types.ts'
import type { FoundToken, TokenScope } from '../queries/people-types.ts'
import { toMarkdown } from '../web/view-models/markdown.ts'
import { cursor, id, limit, time, toView, view } from './params.ts'
import type { OperationName } from './routes.ts'
import * as shapes from './shapes.ts'
import { writeIssues, writeReleases, writeTrace, writeTraces } from './texts.ts'

/** Who calls an operation, and on which store. */
export interface Caller {
  /** The part of the inbox that the token's person reaches now. */
  inbox: Reach
  token: Pick<FoundToken, 'person'>
  /** Address of the application, without a slash at the end. */
  origin: string
}

/** An operation of the API. One with a `tool` is also a tool for assistants. */
export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  summary: string
  scope: TokenScope
  /** Parameters of path, query and body together. */
  input: Input
  output: Output
  run: (caller: Caller, input: z.output<Input>) => Promise<z.input<Output>>
  tool?: {
    name: string
    /** When an assistant should use it, and for what. */
    description: string
    /** The operation's result as text. @default JSON */
    text?: (output: z.input<Output>) => string
    /** Runs instead of the operation. @returns text */
    run?: (caller: Caller, input: z.output<Input>) => Promise<string>
  }
}

const define = <Input extends z.ZodObject, Output extends z.ZodType>(operation: Operation<Input, Output>) =>
  operation as unknown as Operation

const IssueId = z.object({ id: id.describe('Id of the issue') })

const EventId = z.object({
  ...IssueId.shape,
  event: z.string().max(64).describe('Event id, or `latest`')
})

const CommentId = z.object({ ...IssueId.shape, comment: id.describe('Id of the comment') })

const NEXT = z.string().optional().describe('Cursor of the next page; absent on the last')

export const operations = {
  listProjects: define({
    summary: 'List projects',
    scope: 'read',
    input: z.object({}),
    output: z.object({ projects: z.array(shapes.Project) }),
    run: async ({ inbox }) => ({
      projects: (await inbox.queries.listProjects()).map(({ id, name, created }) => ({
        id,
        name,
        created: new Date(created).toISOString()
      }))
    }),
    tool: { name: 'list_projects', description: 'Lists the projects whose errors and traces the inbox stores.' }
  }),

  listIssues: define({
    summary: 'Search issues',
    scope: 'read',
    input: z.object({
      ...view,
      query: z
        .string()
        .max(1_000)
        .optional()
        .describe('Search as in the inbox, such as `is:new release:1.4.2`; `is:unresolved` by default'),
      sort: z.enum(['last', 'first', 'events', 'visitors']).optional(),
      limit: limit.optional(),
      cursor: cursor.optional()
    }),
    output: z.object({ issues: z.array(shapes.Issue), total: z.int(), next: NEXT }),
    async run({ inbox, token, origin }, { query, sort, limit, cursor, ...rest }) {
      const asked = { view: toView(rest), query, me: token.person, sort, limit, cursor }
      const found = await inbox.queries.listIssues(asked)
      const { issues, total, next } = found
      return { issues: issues.map((row) => shapes.toIssue(row, origin)), total, ...(next !== undefined && { next }) }
    },
    tool: {
      name: 'find_issues',
      description:
        'Finds issues (groups of equal errors). Use release or range to ask what broke, and is:new or is:regressed in the query.',
      text: writeIssues
    }
  }),

  getIssue: define({
    summary: 'Read an issue',
    scope: 'read',
    input: IssueId,
    output: shapes.IssueWithActivity,
    run: async ({ inbox, origin }, { id }) => shapes.toIssueWithActivity(await inbox.queries.getIssue({ id }), origin)
  }),

  changeIssue: define({
    summary: 'Resolve, ignore or reopen an issue',
    scope: 'write',
    input: z.object({
      ...IssueId.shape,
      state: z.enum(['resolved', 'ignored', 'unresolved']),
      inNextRelease: z.boolean().optional().describe('Resolved: the fix is in the next release'),
      events: z.int().min(1).optional().describe('Ignored: until that many more events'),
      until: time.optional().describe('Ignored: until this time'),
      version: z.int().min(0).optional().describe('Refuse the change if the issue has another version')
    }),
    output: shapes.IssueWithActivity,
    async run({ inbox, token, origin }, { id, state, inNextRelease, events, until, version }) {
      const selection = { issues: [{ id, version }], who: token.person }
      let changed: Changed
      if (state === 'resolved')
        changed = await inbox.changes.resolveIssues({ ...selection, inNext: inNextRelease === true })
      else if (state === 'unresolved') changed = await inbox.changes.reopenIssues(selection)
      else
        changed = await inbox.changes.ignoreIssues({
          ...selection,
          events,
          until: until === undefined ? undefined : Date.parse(until)
        })
      if (changed.conflicts.length > 0) throw new InboxIssueChanged()
      return shapes.toIssueWithActivity(await inbox.queries.getIssue({ id }), origin)
    },
    tool: {
      name: 'change_issue',
      description: 'Resolves, ignores or reopens an issue, in the name of the person who created the token.'
    }
  }),

  assignIssue: define({
    summary: 'Assign an issue to a person, or to nobody',
    scope: 'write',
    input: z.object({
      ...IssueId.shape,
      assignee: z.string().min(1).max(200).describe('Name of a person who reads the project, `me`, or `none`')
    }),
    output: shapes.IssueWithActivity,
    async run({ inbox, token, origin }, { id, assignee }) {
      const { project } = await inbox.queries.getIssue({ id })
      const people = await inbox.queries.listAssignees({ project })
      const found = people.find(({ name }) => name.toLowerCase() === assignee.toLowerCase())?.id
      const person = assignee === 'me' ? token.person : assignee === 'none' ? null : found
      if (person === undefined) throw new InboxAssigneeInvalid()
      await inbox.changes.assignIssues({ issues: [{ id }], who: token.person, assignee: person })
      return shapes.toIssueWithActivity(await inbox.queries.getIssue({ id }), origin)
    },
    tool: {
      name: 'assign_issue',
      description:
        'Assigns an issue to a person by name, to the person who created the token (me), or to nobody (none).'
    }
  }),

  followIssue: define({
    summary: 'Follow an issue, or end following it',
    scope: 'write',
    input: z.object({ ...IssueId.shape, following: z.boolean() }),
    output: z.object({ following: z.boolean() }),
    async run({ inbox, token }, { id, following }) {
      const change = { issue: id, who: token.person }
      await (following ? inbox.changes.followIssue(change) : inbox.changes.unfollowIssue(change))
      return { following }
    },
    tool: {
      name: 'follow_issue',
      description:
        'Follows an issue, or ends that, for the person who created the token: followers get mails about its changes.'
    }
  }),

  listEvents: define({
    summary: 'List events of an issue, newest first',
    scope: 'read',
    input: z.object({
      ...IssueId.shape,
      query: z
        .string()
        .max(1_000)
        .optional()
        .describe('Search such as `release:1.4.2 tag:colour=red words`; all events by default'),
      limit: limit.optional(),
      cursor: cursor.optional()
    }),
    output: z.object({ events: z.array(shapes.Event), next: NEXT }),
    async run({ inbox }, { id, query, limit, cursor }) {
      const { events, next } = await (query === undefined
        ? inbox.queries.listEvents({ id, limit, cursor })
        : inbox.queries.findEvents({ id, query, limit, cursor }))
      return { events: events.map(shapes.toEvent), ...(next !== undefined && { next }) }
    }
  }),

  getEvent: define({
    summary: 'Read an event of an issue',
    scope: 'read',
    input: EventId,
    output: shapes.EventWithDetail,
    run: async ({ inbox }, { id, event }) =>
      shapes.toEventWithDetail(await inbox.queries.getEvent({ id, eventId: toEventId(event) })),
    tool: {
      name: 'read_issue',
      description:
        'Reads an issue and one of its events as Markdown: stack with source lines, breadcrumbs, request, tags.',
      async run({ inbox, origin }, { id, event }) {
        const [issue, view] = await Promise.all([
          inbox.queries.getIssue({ id }),
          inbox.queries.getEvent({ id, eventId: toEventId(event) })
        ])
        return toMarkdown(issue, view, `${origin}/inbox/issues/${id}?event=${view.row.eventId}`)
      }
    }
  }),

  listTags: define({
    summary: 'List the tags of an issue with their values by share',
    scope: 'read',
    input: z.object({
      ...IssueId.shape,
      values: limit.optional().describe('Maximum values of each tag; 10 by default')
    }),
    output: z.object({ tags: z.array(shapes.Tag) }),
    async run({ inbox }, { id, values }) {
      await inbox.queries.getIssue({ id })
      return { tags: await inbox.queries.listTags({ id, values }) }
    },
    tool: {
      name: 'list_tags',
      description:
        'Lists the tags of an issue, such as release, browser and os, with the values of its events by share.'
    }
  }),

  listComments: define({
    summary: 'List comments on an issue, newest first',
    scope: 'read',
    input: z.object({ ...IssueId.shape, limit: limit.optional(), cursor: cursor.optional() }),
    output: z.object({ comments: z.array(shapes.Comment), next: NEXT }),
    async run({ inbox }, { id, limit, cursor }) {
      const { comments, next } = await inbox.queries.listComments({ id, limit, cursor })
      return { comments: comments.map(shapes.toComment), ...(next !== undefined && { next }) }
    },
    tool: { name: 'list_comments', description: 'Lists the comments on an issue, newest first.' }
  }),

  addComment: define({
    summary: 'Comment on an issue',
    scope: 'write',
    input: z.object({ ...IssueId.shape, text: z.string() }),
    output: shapes.Comment,
    run: async ({ inbox, token }, { id, text }) =>
      findComment(inbox, id, await inbox.changes.addComment({ issue: id, text, who: token.person })),
    tool: {
      name: 'comment_on_issue',
      description: 'Adds a comment to an issue, in the name of the person who created the token.'
    }
  }),

  changeComment: define({
    summary: 'Change a comment of the person who created the token',
    scope: 'write',
    input: CommentId.extend({ text: z.string() }),
    output: shapes.Comment,
    async run({ inbox, token }, { id, comment, text }) {
      await inbox.changes.changeComment({ issue: id, comment, text, who: token.person })
      return findComment(inbox, id, comment)
    }
  }),

  removeComment: define({
    summary: 'Delete a comment of the person who created the token',
    scope: 'write',
    input: CommentId,
    output: z.object({}),
    async run({ inbox, token }, { id, comment }) {
      await inbox.changes.removeComment({ issue: id, comment, who: token.person })
      return {}
    }
  }),

  listSearches: define({
    summary: 'List saved searches: shared ones, and those of the person who created the token',
    scope: 'read',
    input: z.object({}),
    output: z.object({ searches: z.array(shapes.Search) }),
    run: async ({ inbox, token }) => ({
      searches: (await inbox.queries.listSavedSearches({ person: token.person })).map(shapes.toSearch)
    }),
    tool: {
      name: 'list_searches',
      description: 'Lists the searches for issues that people saved under a name; their query is one for find_issues.'
    }
  }),

  listTraces: define({
    summary: 'List traces',
    scope: 'read',
    input: z.object({
      ...view,
      route: z.string().max(300).optional(),
      sort: z.enum(['newest', 'slowest']).optional(),
      limit: limit.optional(),
      cursor: cursor.optional()
    }),
    output: z.object({ traces: z.array(shapes.Trace), next: NEXT }),
    async run({ inbox }, { route, sort, limit, cursor, ...rest }) {
      const found = await inbox.queries.listTraces({ view: toView(rest), route, sort, limit, cursor })
      return { traces: found.traces.map(shapes.toTrace), ...(found.next !== undefined && { next: found.next }) }
    },
    tool: {
      name: 'find_traces',
      description: 'Lists traces (page loads and requests with their spans), newest or slowest first.',
      text: writeTraces
    }
  }),

  getTrace: define({
    summary: 'Read a trace',
    scope: 'read',
    input: z.object({ traceId: z.string().regex(/^[\da-f]{32}$/, 'expected 32 hex digits') }),
    output: shapes.TraceWithSpans,
    run: async ({ inbox }, { traceId }) => shapes.toTraceWithSpans(await inbox.queries.getTrace({ traceId })),
    tool: {
      name: 'read_trace',
      description: 'Reads a trace as Markdown: its spans as a tree with times, its errors and its logs.',
      text: writeTrace
    }
  }),

  listReleases: define({
    summary: 'List releases, newest first',
    scope: 'read',
    input: z.object({ ...view, limit: limit.optional() }),
    output: z.object({ releases: z.array(shapes.Release) }),
    run: async ({ inbox }, { limit, ...rest }) => ({
      releases: (await inbox.queries.listReleases({ view: toView(rest), limit })).map(shapes.toRelease)
    }),
    tool: {
      name: 'list_releases',
      description: 'Lists releases with their new issues, regressions, errors and crash-free sessions.',
      text: writeReleases
    }
  }),
  listFeedback: define({
    summary: 'List feedback of visitors, newest first',
    scope: 'read',
    input: z.object({
      ...view,
      query: z.string().max(500).optional().describe('Words in message, name, mail address or page'),
      limit: limit.optional(),
      cursor: cursor.optional()
    }),
    output: z.object({ feedback: z.array(shapes.Feedback), total: z.int(), next: NEXT }),
    async run({ inbox, origin }, { query, limit, cursor, ...rest }) {
      const found = await inbox.queries.listFeedback({ view: toView(rest), query, limit, cursor })
      const { feedback, total, next } = found
      return {
        feedback: feedback.map((row) => shapes.toFeedback(row, origin)),
        total,
        ...(next !== undefined && { next })
      }
    },
    tool: { name: 'list_feedback', description: 'Lists what visitors wrote about errors and pages, newest first.' }
  })
} satisfies Record<OperationName, Operation>

async function findComment({ queries }: Reach, id: number, newest: number) {
  const { comments } = await queries.listComments({ id, newest, limit: 1 })
  return shapes.toComment(comments[0]!)
}

const toEventId = (event: string) => (event === 'latest' ? undefined : event)

/** Schemas that refuse unknown parameters. Each compiles itself with its first use. */
const STRICT = new WeakMap<z.ZodObject, z.ZodObject>()

/**
 * Parses the parameters of an operation.
 * @throws InboxRequestInvalid with the first wrong parameter
 */
export function parseInput({ input }: Operation, given: unknown): Record<string, unknown> {
  const schema = STRICT.get(input) ?? input.strict()
  STRICT.set(input, schema)
  const { success, data, error } = schema.safeParse(given)
  if (success) return data
  const [issue] = error.issues
  throw new InboxRequestInvalid(`${issue!.path.join('.') || 'parameters'}: ${issue!.message}`)
}
