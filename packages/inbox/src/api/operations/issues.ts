import { z } from 'zod'
import { InboxAssigneeInvalid, InboxIssueChanged } from '../../errors.ts'
import type { Changed } from '../../mutations/issue-types.ts'
import type { IssueDetail, IssueRow } from '../../queries/issues/issue-types.ts'
import { ISSUE_STATES } from '../../store/model.ts'
import { errorTitle } from '../../web/error-title.ts'
import { defineOperation } from '../operation.ts'
import { IssueId, page, time, toView, view } from '../params.ts'
import { Next, pick, Time, Total, toTime } from '../results.ts'
import { writeIssues } from '../texts.ts'

export const Issue = z.object({
  id: z.int(),
  project: z.int(),
  title: z.string().describe('Type and message of the error'),
  culprit: z.string().describe('File and function that threw the error, or the route'),
  level: z.enum(['fatal', 'error', 'warning', 'info', 'debug']),
  side: z.enum(['browser', 'server']),
  state: z.enum(ISSUE_STATES),
  isNew: z.boolean().describe('Never changed, and first seen in the newest release or in the last 24 hours'),
  firstSeen: Time,
  lastSeen: Time,
  firstRelease: z.string().optional(),
  lastRelease: z
    .string()
    .optional()
    .describe('Newest release with an event of it; the last event may be of an older one'),
  events: z.int().describe('All events'),
  visitors: z.int().describe('All affected visitors'),
  eventsInRange: z.int().describe('Events in the requested time range'),
  assignee: z.string().optional().describe('Name of the person to whom it is assigned'),
  version: z.int().describe('Send it with a change to refuse the change if somebody else made one'),
  url: z.url().describe('Page of the issue in the inbox')
})

const toIssue = (row: IssueRow, origin: string): z.input<typeof Issue> =>
  pick(Issue, {
    ...row,
    title: errorTitle(row),
    firstSeen: toTime(row.firstSeen),
    lastSeen: toTime(row.lastSeen),
    assignee: row.assignee?.name,
    url: `${origin}/inbox/issues/${row.id}`
  })

const Activity = z.object({
  at: Time,
  kind: z.enum([
    'created',
    'resolved',
    'ignored',
    'reopened',
    'assigned',
    'regressed',
    'merged',
    'unmerged',
    'undone',
    'commented'
  ]),
  person: z.string().optional().describe('Name of the person; absent if an event caused the change'),
  data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
})

const IssueWithActivity = Issue.extend({ activity: z.array(Activity).describe('Newest first') })

const toIssueWithActivity = (issue: IssueDetail, origin: string): z.input<typeof IssueWithActivity> => ({
  ...toIssue(issue, origin),
  activity: issue.activity.map(({ at, kind, who, data }) => ({
    at: toTime(at),
    kind: kind as z.input<typeof Activity>['kind'],
    person: who,
    data
  }))
})

export const issueOperations = {
  listIssues: defineOperation({
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
      ...page
    }),
    output: z.object({ issues: z.array(Issue), total: Total, next: Next }),
    async run({ inbox, token, origin }, { query, sort, limit, cursor, ...rest }) {
      const asked = { view: toView(rest), query, me: token.person, sort, limit, cursor }
      const { issues, total, next } = await inbox.queries.listIssues(asked)
      return { issues: issues.map((row) => toIssue(row, origin)), total, next }
    },
    tool: {
      name: 'find_issues',
      description:
        'Finds issues (groups of equal errors). Use release or range to ask what broke, and is:new or is:regressed in the query.',
      text: writeIssues
    }
  }),

  getIssue: defineOperation({
    summary: 'Read an issue',
    scope: 'read',
    input: IssueId,
    output: IssueWithActivity,
    run: async ({ inbox, origin }, { id }) => toIssueWithActivity(await inbox.queries.getIssue({ id }), origin)
  }),

  changeIssue: defineOperation({
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
    output: IssueWithActivity,
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
      return toIssueWithActivity(await inbox.queries.getIssue({ id }), origin)
    },
    tool: {
      name: 'change_issue',
      description: 'Resolves, ignores or reopens an issue, in the name of the person who created the token.'
    }
  }),

  assignIssue: defineOperation({
    summary: 'Assign an issue to a person, or to nobody',
    scope: 'write',
    input: z.object({
      ...IssueId.shape,
      assignee: z.string().min(1).max(200).describe('Name of a person who reads the project, `me`, or `none`')
    }),
    output: IssueWithActivity,
    async run({ inbox, token, origin }, { id, assignee }) {
      const { project } = await inbox.queries.getIssue({ id })
      const people = await inbox.queries.listAssignees({ project })
      const found = people.find(({ name }) => name.toLowerCase() === assignee.toLowerCase())?.id
      const person = assignee === 'me' ? token.person : assignee === 'none' ? null : found
      if (person === undefined) throw new InboxAssigneeInvalid()
      await inbox.changes.assignIssues({ issues: [{ id }], who: token.person, assignee: person })
      return toIssueWithActivity(await inbox.queries.getIssue({ id }), origin)
    },
    tool: {
      name: 'assign_issue',
      description:
        'Assigns an issue to a person by name, to the person who created the token (me), or to nobody (none).'
    }
  }),

  followIssue: defineOperation({
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
  })
}
