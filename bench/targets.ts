import { PAGES } from './measures/inbox-pages.ts'
import type { ContenderName } from './options.ts'

/** Bound of the ratio of two contenders, or, without `to`, of the quantity of one contender. */
export interface Target {
  /** `id` of a measurement. */
  measurement: string
  of: ContenderName
  to?: ContenderName
  /** Largest allowed median. */
  atMost?: number
  /** The median must be less than this. */
  below?: number
}

/** 1,000 bytes, as browsers count. */
const KB = 1_000
const MB = 1_000 * KB

const HULL = 'hull'
const NO_INBOX = 'hull-no-inbox'

/** Bounds of one measurement for Hull with the inbox and without it. */
function both(measurement: string, to: ContenderName | undefined, withInbox: number, without: number): Target[] {
  const common = { measurement, ...(to && { to }) }
  return [
    { ...common, of: HULL, atMost: withInbox },
    { ...common, of: NO_INBOX, atMost: without }
  ]
}

/** Bounds of the pages of the inbox; `measures/inbox-pages.ts` defines their names. */
const INBOX_PAGES = PAGES.map(({ id }): Target => ({ measurement: `page ${id}`, of: HULL, atMost: 3 }))

/** Bounds of the same pages with the inbox in PostgreSQL, which `measures/database.ts` measures. */
const DATABASE_PAGES = PAGES.map(({ id }): Target => ({ measurement: `database page ${id}`, of: HULL, atMost: 2 }))

export const TARGETS: Target[] = [
  ...both('cpu /', 'floor', 3.6, 3),
  ...both('cpu /list', 'floor', 1.45, 1.25),
  ...both('cpu /item/[id]', 'floor', 3.6, 3),
  { measurement: 'cpu /rows', of: NO_INBOX, to: 'floor', atMost: 1.15 },
  { measurement: 'cpu /suspend', of: NO_INBOX, to: 'floor', atMost: 1.5 },
  { measurement: 'cpu /cached', of: NO_INBOX, to: 'floor', below: 1 },
  { measurement: 'link', of: NO_INBOX, atMost: 1.03 },
  { measurement: 'sampled 1', of: HULL, atMost: 0.5 },
  { measurement: 'sampled 32', of: HULL, atMost: 0.5 },
  ...both('idle', undefined, 110 * MB, 90 * MB),
  ...both('memory', undefined, 190 * MB, 150 * MB),
  ...both('start', 'next', 0.4, 0.35),
  ...both('scripts', undefined, 108 * KB, 68 * KB),
  ...both('click', 'next', 0.7, 0.7),
  ...both('click', 'floor', 1.25, 1.25),
  ...both('click +50', 'floor', 1.06, 1.06),
  ...both('hover +50', 'floor', 1.15, 1.15),
  { measurement: 'tunnel', of: NO_INBOX, to: 'next-sentry', atMost: 0.125 },
  { measurement: 'tunnel +50', of: NO_INBOX, to: 'next-sentry', atMost: 0.125 },
  { measurement: 'tunnel backlog', of: NO_INBOX, atMost: 0.1 },
  { measurement: 'spool memory', of: NO_INBOX, atMost: 1.1 },
  { measurement: 'envelope memory', of: NO_INBOX, atMost: 1.1 },
  { measurement: 'tracing 0', of: NO_INBOX, atMost: 1.03 },
  { measurement: 'tracing 0.1', of: NO_INBOX, atMost: 1.08 },
  { measurement: 'inbox time', of: HULL, atMost: 0.25 },
  { measurement: 'inbox to bare', of: HULL, atMost: 2 },
  { measurement: 'inbox pages', of: HULL, atMost: 1.5 },
  { measurement: 'inbox wait', of: HULL, atMost: 10 },
  { measurement: 'reads overview', of: HULL, atMost: 3 },
  { measurement: 'reads issues', of: HULL, atMost: 3 },
  { measurement: 'reads issue', of: HULL, atMost: 3 },
  { measurement: 'inbox retention', of: HULL, atMost: 2 },
  { measurement: 'api issues', of: HULL, atMost: 2 },
  { measurement: 'alerts cpu', of: HULL, atMost: 1.05 },
  { measurement: 'alerts rule', of: HULL, atMost: 5 },
  { measurement: 'alerts threshold', of: HULL, atMost: 5 },
  { measurement: 'issues memory', of: HULL, atMost: 300 * MB },
  { measurement: 'issues growth', of: HULL, atMost: 1.1 },
  { measurement: 'issues page', of: HULL, atMost: 300 },
  { measurement: 'database page', of: HULL, atMost: 1.03 },
  { measurement: 'database time', of: HULL, atMost: 2 },
  { measurement: 'database 2 replicas', of: HULL, atMost: 0.67 },
  ...INBOX_PAGES,
  ...DATABASE_PAGES,
  { measurement: 'page overview to items', of: HULL, atMost: 10 }
]
