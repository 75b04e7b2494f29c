import { z } from 'zod'
import type { ReleaseRow } from '../../queries/releases/release-types.ts'
import { defineOperation } from '../operation.ts'
import { limit, toView, view } from '../params.ts'
import { pick, Time, toTime } from '../results.ts'
import { writeReleases } from '../texts.ts'

export const Release = z.object({
  version: z.string(),
  project: z.int(),
  firstSeen: Time,
  lastSeen: Time,
  newIssues: z.int(),
  regressions: z.int(),
  errors: z.int().describe('In the requested time range'),
  sessions: z.int().describe('In the requested time range'),
  crashFree: z.number().optional().describe('Share of the sessions without a crash, from 0 to 1'),
  adoption: z
    .number()
    .optional()
    .describe('Share of the sessions of the 24 hours before the end of the time range, from 0 to 1')
})

const toRelease = (row: ReleaseRow): z.input<typeof Release> =>
  pick(Release, { ...row, firstSeen: toTime(row.firstSeen), lastSeen: toTime(row.lastSeen) })

export const releaseOperations = {
  listReleases: defineOperation({
    summary: 'List the newest releases, newest first; there are no further pages',
    scope: 'read',
    input: z.object({ ...view, limit: limit.optional().describe('30 by default') }),
    output: z.object({ releases: z.array(Release) }),
    run: async ({ inbox }, { limit, ...rest }) => ({
      releases: (await inbox.queries.listReleases({ view: toView(rest), limit })).map(toRelease)
    }),
    tool: {
      name: 'list_releases',
      description: 'Lists releases with their new issues, regressions, errors and crash-free sessions.',
      text: writeReleases
    }
  })
}
