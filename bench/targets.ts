import { PAGES } from './measures/inbox-pages.ts'
import type { ContenderName } from './options.ts'

/** What a ratio is held to, or, where there is no `to`, the quantity itself. */
export interface Target {
  /** `id` of a measurement. */
  measurement: string
  of: ContenderName
  to?: ContenderName
  /** The median may be this, */
  atMost?: number
  /** or must be less than this. */
  below?: number
}

/** Pages of the inbox, as `measures/inbox-pages.ts` names them. */
const INBOX_PAGES = PAGES.map(({ id }): Target => ({ measurement: `page ${id}`, of: 'hull', atMost: 3 }))

/** A thousand bytes, as browsers and networks count them. */
const KB = 1_000

export const TARGETS: Target[] = [
  { measurement: 'cpu /', of: 'hull', to: 'floor', atMost: 3 },
  { measurement: 'cpu /list', of: 'hull', to: 'floor', atMost: 1.25 },
  { measurement: 'cpu /cached', of: 'hull', to: 'floor', below: 1 },
  { measurement: 'start', of: 'hull', to: 'next', atMost: 0.6 },
  { measurement: 'memory', of: 'hull', to: 'next', atMost: 0.5 },
  { measurement: 'scripts', of: 'hull', atMost: 72 * KB },
  { measurement: 'click', of: 'hull', to: 'next', atMost: 0.6 },
  { measurement: 'click', of: 'hull', to: 'floor', atMost: 1.3 },
  { measurement: 'hover +50', of: 'hull', to: 'floor', atMost: 1.3 },
  { measurement: 'tunnel', of: 'hull', to: 'next', atMost: 0.25 },
  { measurement: 'tunnel +50', of: 'hull', to: 'next', atMost: 0.25 },
  { measurement: 'spool memory', of: 'hull', atMost: 1.1 },
  { measurement: 'envelope memory', of: 'hull', atMost: 1.1 },
  { measurement: 'tracing 0', of: 'hull', atMost: 1.03 },
  { measurement: 'tracing 0.1', of: 'hull', atMost: 1.08 },
  { measurement: 'inbox time', of: 'hull', atMost: 0.5 },
  { measurement: 'inbox wait', of: 'hull', atMost: 10 },
  { measurement: 'reads overview', of: 'hull', atMost: 3 },
  { measurement: 'reads issues', of: 'hull', atMost: 3 },
  { measurement: 'reads issue', of: 'hull', atMost: 3 },
  { measurement: 'inbox retention', of: 'hull', atMost: 2 },
  ...INBOX_PAGES,
  { measurement: 'page overview to items', of: 'hull', atMost: 10 }
]
