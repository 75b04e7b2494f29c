import type { Visitor } from '../../src/testing.ts'

/**
 * Returns the paths of all pages of an inbox with the sample data (packages/inbox/src/seed/showcase.ts), for an admin.
 */
export async function findInboxScreens(admin: Visitor): Promise<string[]> {
  const { issue, trace } = await findTrace(admin)
  const [span] = /[^"]*#span-\w+/.exec((await admin.get(trace)).body)!
  return [
    '/inbox?range=7d',
    '/inbox/issues',
    '/inbox/issues?q=is:open',
    '/inbox/issues?q=nothingislikethis',
    '/inbox/issues/searches?q=level:fatal',
    issue,
    // An issue with hostile text in every field.
    '/inbox/issues/38',
    `${issue}/events`,
    `${issue}/events?q=is:new`,
    `${issue}/tags`,
    `${issue}/tags?tag=release`,
    '/inbox/traces',
    trace,
    span,
    '/inbox/vitals',
    '/inbox/logs',
    '/inbox/logs?q=invoice&level=error',
    '/inbox/feedback',
    '/inbox/monitors',
    '/inbox/monitors/1',
    '/inbox/monitors/2',
    '/inbox/releases',
    '/inbox/doctor',
    '/inbox/account',
    '/inbox/settings',
    '/inbox/settings/projects/1',
    '/inbox/settings/people',
    '/inbox/settings/people/1',
    '/inbox/settings/alerts',
    '/inbox/settings/alerts/1',
    '/inbox/settings/alerts/thresholds',
    '/inbox/settings/alerts/thresholds?kind=vital',
    '/inbox/settings/alerts/thresholds/1',
    '/inbox/settings/tokens',
    '/inbox/settings/audit',
    '/inbox/settings/storage',
    '/inbox/sign-out'
  ]
}

/** Finds the first issue whose newest event has a trace. */
async function findTrace(admin: Visitor) {
  for (let id = 1; id < 40; id++) {
    const issue = `/inbox/issues/${id}`
    const [trace] = /\/inbox\/traces\/\w{32}/.exec((await admin.get(issue)).body) ?? []
    if (trace !== undefined) return { issue, trace }
  }
  throw new Error('no issue has a trace')
}

/** Paths of the inbox for a visitor who is not signed in, and addresses that are 404 for an admin. */
export const INBOX_ENTRANCES = ['/inbox', '/inbox/sign-in', '/inbox/invitation?token=x']
export const INBOX_MISSING = ['/inbox/issues/9999', '/inbox/nothing/here']
