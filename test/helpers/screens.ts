import { CATALOGUE } from '../../client/components/lab/catalogue.ts'
import type { Visitor } from './inbox-visitor.ts'

/** Addresses of the lab that answer at once. */
export const LAB_ADDRESSES = CATALOGUE.flatMap(({ behaviours }) =>
  behaviours.flatMap(({ href, also = [] }) => [href, ...also.map(([to]) => to)])
).filter((path) => !/never|slow/.test(path))

/** An issue of the showcase whose newest event has a trace. */
const ISSUE = '/inbox/issues/13'

/** Paths of every screen of an inbox that holds the showcase (test/helpers/inbox/showcase.ts), for an admin. */
export async function findInboxScreens(admin: Visitor): Promise<string[]> {
  const [trace] = /\/inbox\/traces\/\w{32}/.exec((await admin.get(ISSUE)).body) ?? []
  const [span] = /[^"]*#span-\w+/.exec((await admin.get(trace ?? '')).body) ?? []
  if (trace === undefined || span === undefined) throw new Error(`${ISSUE} has no trace`)
  return [
    '/inbox?range=7d',
    '/inbox/issues',
    '/inbox/issues?q=is:open',
    '/inbox/issues?q=nothingislikethis',
    ISSUE,
    // texts of an attacker
    '/inbox/issues/38',
    '/inbox/issues/13/events',
    '/inbox/traces',
    trace,
    span,
    '/inbox/vitals',
    '/inbox/releases',
    '/inbox/doctor',
    '/inbox/account',
    '/inbox/settings',
    '/inbox/settings/projects/1',
    '/inbox/settings/people',
    '/inbox/settings/people/1',
    '/inbox/settings/storage',
    '/inbox/sign-out'
  ]
}

/** Paths of the inbox for a visitor who is not signed in, and of what an admin does not find. */
export const INBOX_ENTRANCES = ['/inbox', '/inbox/sign-in', '/inbox/invitation?token=x']
export const INBOX_MISSING = ['/inbox/issues/9999', '/inbox/nothing/here']
