import type { TunnelStats } from '@hull/monitoring'
import { categoryOf } from '@hull/monitoring/envelope'
import { DAY } from '@hull/common/time.ts'
import { INBOX_DSN } from '../addresses.ts'
import { explainDrop } from '../ingest/drop-reasons.ts'
import { REFUSED_CATEGORIES } from '../ingest/drops.ts'
import { FAILURE_PERIOD, type InboxStats } from '../store/inbox.ts'
import type { ItemTypeRow } from '../store/item-types.ts'
import type { StoreHealth } from '../queries/types.ts'

/** Input of the doctor's checks. */
export interface Examination {
  /** Milliseconds since the epoch. */
  now: number
  /** Undefined if the store did not answer. */
  health?: StoreHealth
  inbox: InboxStats
  /** Whether the inbox is in a database, which replicas share. */
  isShared?: boolean
  /** Whether the application has replicas, and no SESSION_SECRET that they share. */
  hasOwnSecret?: boolean
  /** Undefined without an external provider, since only its spool is checked. */
  tunnel?: Pick<TunnelStats, 'available' | 'bytes' | 'envelopes' | 'oldestAge' | 'drops' | 'providers'> &
    Partial<Pick<TunnelStats, 'clockJump'>>
}

/**
 * - `good`: works
 * - `look`: works, but needs attention
 * - `bad`: does not work
 * - `quiet`: no data yet, or nothing to do
 */
export type Verdict = 'good' | 'look' | 'bad' | 'quiet'

/** Result of one check, as text. */
export interface Finding {
  id: string
  /** Its title: what holds, or what is wrong. */
  check: string
  verdict: Verdict
  says: string
  /** When the reported thing happened, milliseconds since the epoch. */
  at?: number
  /** How to fix it. */
  todo?: string
  /** Shown as code after the text: a stack frame or a path. */
  sample?: string
  /** Dropped items with the reason. */
  drops?: { what: string; why: string; quantity: number; isHarmless: boolean }[]
  /** Types of received items, and where each is shown or why it is dropped. */
  types?: (ItemTypeRow & { shown: string })[]
}

/** Shares of INBOX_MAX_BYTES above which the doctor warns and reports a failure. Our choice. */
const NEARLY_FULL = 0.8
const FULL = 0.97

/**
 * Share of a day's in-app frames without source above which the doctor warns. Our choice: frames of browser extensions
 * stay below it.
 */
const MANY_UNRESOLVED = 0.1

/** Milliseconds an envelope may wait before delivery counts as blocked. Our choice. */
const LONG_WAIT = 60_000

/** Checks every step from an error in a browser to an issue with source code, and says how to fix what fails. */
export function diagnose(examination: Examination): Finding[] {
  const { health, isShared } = examination
  return [
    checkStore(examination),
    ...(examination.tunnel ? [checkSpool(examination.tunnel)] : []),
    ...checkClock(examination),
    ...(health ? checkReplicaClock(health) : []),
    ...(health ? [checkBrowser(examination, health), checkServer(examination, health), checkMaps(health)] : []),
    checkDrops(examination),
    ...(health
      ? [
          listTypes(health),
          checkRetention(examination, health),
          checkDisk(health),
          ...(isShared ? [] : [checkFile(health)]),
          checkAlerts(health)
        ]
      : []),
    checkReplicas(examination)
  ]
}

function checkStore({ now, inbox, health, isShared }: Examination): Finding {
  const check = { id: 'store', check: 'The inbox stores events' }
  const { envelopes } = inbox.spooled
  const waiting = `${envelopes === 1 ? '1 envelope waits' : `${envelopes.toLocaleString('en')} envelopes wait`} in the spool of this replica`
  if (!inbox.available && isShared)
    return {
      ...check,
      check: 'The database cannot be reached',
      verdict: 'bad',
      says: `Pages are served as before. ${waiting}, and will be stored when the database answers.`,
      todo: 'The log has the reason: the database is down, or DATABASE_URL, its user or its password are wrong.'
    }
  if (!inbox.available)
    return {
      ...check,
      check: 'The inbox cannot store events',
      verdict: 'bad',
      says: 'The database file cannot be written, or the thread that writes it does not answer. Envelopes that no provider receives too are answered with 503: their senders drop them or try again.',
      todo: 'The log has the reason, usually a full disk or a folder without write permission.'
    }
  const { failure } = inbox
  // Envelopes that a database refused wait until they are stored.
  if (failure && now < failure.at + FAILURE_PERIOD && (envelopes > 0 || !isShared))
    return {
      ...check,
      check: 'The inbox does not store events',
      verdict: 'bad',
      says: isShared
        ? `The database refused some: ${failure.reason}. Pages are served as before. ${waiting}, and will be stored when the database takes them.`
        : `The file did not take some: ${failure.reason}. Envelopes that no provider receives too are answered with 503.`,
      todo: 'Usually the disk is full, or may only be read.'
    }
  if (!health)
    return {
      ...check,
      check: 'The inbox does not answer queries',
      verdict: 'bad',
      says: 'Events are stored, but a query was not answered.',
      todo: 'Reload this page. If the problem stays, look at the log.'
    }
  if (envelopes > 0)
    return {
      ...check,
      check: 'Events of an outage are being stored',
      verdict: 'look',
      says: `${waiting} since the database could not be reached. They are being stored.`
    }
  if (inbox.lag > LONG_WAIT)
    return {
      ...check,
      check: 'Events are stored late',
      verdict: 'look',
      says: `The last event was stored after ${Math.round(inbox.lag / 1_000)} seconds: more events arrive than can be stored in time.`,
      todo: 'Lower TRACES_SAMPLE_RATE, or use a faster disk.'
    }
  return { ...check, verdict: 'good', says: 'Events are stored without delay.' }
}

/** A correct clock needs no message. */
function checkClock({ tunnel }: Examination): Finding[] {
  const { clockJump = 0 } = tunnel ?? {}
  if (clockJump === 0) return []
  const hours = Math.abs(clockJump / 3_600_000).toFixed(1)
  return [
    {
      id: 'clock',
      check: "The machine's clock was changed",
      verdict: 'look',
      says: `It was set ${hours} hours ${clockJump > 0 ? 'ahead' : 'back'}. Data expires by the new time only once the clock has run unchanged for six hours.`,
      todo: 'Compare it with another clock, and look at the time synchronisation of the machine.'
    }
  ]
}

/** Difference between clocks that is not reported, in milliseconds. Our choice. */
const CLOCK_TOLERANCE = 30_000

function checkReplicaClock({ clockAhead }: StoreHealth): Finding[] {
  if (Math.abs(clockAhead) < CLOCK_TOLERANCE) return []
  const minutes = (Math.abs(clockAhead) / 60_000).toFixed(1)
  return [
    {
      id: 'replica-clock',
      check: "The clock of this replica differs from the database's",
      verdict: 'look',
      says: `It is ${minutes} minutes ${clockAhead > 0 ? 'ahead' : 'behind'}. Events that it receives have wrong times, so lists show them in the wrong order.`,
      todo: 'Look at the time synchronisation of both machines.'
    }
  ]
}

/** Name of the inbox among the providers of the spool, which may hold old envelopes for it. */
const OWN_LABEL = INBOX_DSN.replace(/^.*@/, '')

function checkSpool(tunnel: NonNullable<Examination['tunnel']>): Finding {
  const check = { id: 'spool', check: 'The spool delivers' }
  if (!tunnel.available)
    return {
      ...check,
      check: 'The spool cannot store envelopes',
      verdict: 'bad',
      says: 'The spool cannot be written: providers receive nothing. Envelopes that the inbox does not store too are answered with 503.',
      todo: 'The log has the reason. Check the free space in DATA_DIR.'
    }
  const failing = tunnel.providers.filter(({ breaker }) => breaker !== 'closed')
  if (failing.length > 0)
    return {
      ...check,
      check: failing.length === 1 ? 'A provider does not answer' : 'Providers do not answer',
      verdict: 'bad',
      says: `${failing.length === 1 ? 'One provider does' : `${failing.length} providers do`} not answer. Delivery is tried again every few seconds; ${tunnel.envelopes} envelopes are waiting.`,
      sample: failing.map(({ provider }) => provider).join(', '),
      todo: 'No envelope is lost until SPOOL_MAX_AGE or SPOOL_MAX_BYTES is reached.'
    }
  if (tunnel.oldestAge > LONG_WAIT)
    return {
      ...check,
      check: 'Delivery is behind',
      verdict: 'look',
      says: `${tunnel.envelopes} envelopes are waiting, the oldest for ${Math.round(tunnel.oldestAge / 60_000)} minutes.`,
      todo: 'The queue should shrink by itself. If it does not, look at the log.'
    }
  const providers = tunnel.providers.map(({ provider }) => provider).filter((provider) => provider !== OWN_LABEL)
  return {
    ...check,
    verdict: 'good',
    says: 'No envelopes are waiting for these providers:',
    sample: providers.join(', ')
  }
}

function checkBrowser({ now }: Examination, { lastReceived: { browser } }: StoreHealth): Finding {
  const check = { id: 'browser', check: 'Browsers reach the tunnel' }
  if (browser === undefined)
    return {
      ...check,
      check: 'No browser has reached the tunnel yet',
      verdict: 'look',
      says: 'No event has arrived from a browser yet.',
      todo: 'Open a page of the application. If no event arrives, POST /monitoring may be blocked: TUNNEL_ALIAS adds a second path that blockers do not know.'
    }
  if (browser < now - DAY)
    return {
      ...check,
      check: 'No browser has reached the tunnel for a day',
      verdict: 'look',
      says: 'No event has arrived from a browser for a day. The last one arrived',
      at: browser,
      todo: 'This is normal without visitors. Otherwise open a page and look for POST /monitoring in the network panel of the browser.'
    }
  return { ...check, verdict: 'good', says: 'The last event from a browser arrived', at: browser }
}

function checkServer({ now }: Examination, { lastReceived: { server } }: StoreHealth): Finding {
  const check = { id: 'server', check: 'The server reports events' }
  if (server === undefined)
    return {
      ...check,
      check: 'The server has not reported events yet',
      verdict: 'quiet',
      says: 'The server has not reported anything yet: no error, and no sampled request.',
      todo: 'TRACES_SAMPLE_RATE sets the share of requests that are traced.'
    }
  const last = { says: 'The last event from the server arrived', at: server }
  if (server < now - DAY)
    return { ...check, check: 'The server has not reported events for a day', verdict: 'quiet', ...last }
  return { ...check, verdict: 'good', ...last }
}

function checkMaps({ maps, unresolved: { frames, of } }: StoreHealth): Finding {
  const check = { id: 'maps', check: 'Source maps resolve' }
  const { sample } = maps
  const shown =
    sample && `${sample.file}:${sample.line}${sample.function === undefined ? '' : ` in ${sample.function}`}`
  if (maps.maps === 0)
    return {
      ...check,
      check: 'Source maps are missing',
      verdict: 'look',
      says: 'There are no source maps, so stack traces show the built code.',
      todo: 'npm run build writes source maps, and the server imports them when it starts. In development there are none.'
    }
  const share = of === 0 ? 0 : frames / of
  const has = `${maps.maps} source maps of ${maps.releases} ${maps.releases === 1 ? 'release' : 'releases'} are stored.`
  if (share > MANY_UNRESOLVED)
    return {
      ...check,
      check: 'Source maps of some frames are missing',
      verdict: 'look',
      says: `${has} ${frames} of ${of} in-app frames of the last day had no source map.`,
      todo: 'These frames belong to a release whose build is gone, or to scripts that are not part of the build.',
      ...(shown === undefined ? {} : { sample: shown })
    }
  return {
    ...check,
    verdict: 'good',
    says: of === 0 ? has : `${has} ${of - frames} of ${of} in-app frames of the last day were resolved.`,
    ...(shown === undefined ? {} : { sample: shown })
  }
}

function checkDrops({ health, tunnel }: Examination): Finding {
  const check = { id: 'drops', check: 'No data is lost' }
  const all = [
    ...(health?.drops ?? []),
    ...(tunnel?.drops ?? []).map(({ reason, category, quantity }) => ({ origin: 'tunnel', reason, category, quantity }))
  ]
  const drops = all
    .map(({ origin, reason, category, quantity }) => ({ ...explainDrop(origin, reason, category), quantity }))
    .sort((a, b) => Number(a.isHarmless) - Number(b.isHarmless) || b.quantity - a.quantity)
  const lost = drops.filter(({ isHarmless }) => !isHarmless).reduce((sum, { quantity }) => sum + quantity, 0)
  if (drops.length === 0) return { ...check, verdict: 'good', says: 'Nothing was dropped in the last day.' }
  if (lost === 0)
    return {
      ...check,
      verdict: 'good',
      says: 'Only items that were meant to be dropped were dropped in the last day.',
      drops
    }
  return {
    ...check,
    check: 'Data was lost in the last day',
    verdict: 'look',
    says: `${lost} ${lost === 1 ? 'item was' : 'items were'} dropped.`,
    drops
  }
}

/** Where the items of a type are shown. */
const SHOWN: Readonly<Record<string, string>> = {
  event: 'Issues',
  transaction: 'Traces and vitals',
  span: 'Traces and vitals',
  session: 'Overview and releases',
  sessions: 'Overview and releases',
  log: 'Logs',
  otel_log: 'Logs',
  check_in: 'Monitors',
  feedback: 'Feedback, and with its event',
  user_report: 'Feedback, and with its event',
  attachment: 'with its event',
  client_report: 'counted above as dropped by clients'
}

/** Lists the types of items that were ever received, and what becomes of them. */
function listTypes({ types }: StoreHealth): Finding {
  return {
    id: 'types',
    check: 'Every type of item is accounted for',
    verdict: 'good',
    says: types.length === 0 ? 'No item has been received yet.' : 'Items received since the inbox was created:',
    ...(types.length > 0 && { types: types.map((row) => ({ ...row, shown: whereShown(row.type) })) })
  }
}

function whereShown(type: string): string {
  if (REFUSED_CATEGORIES.includes(categoryOf(type)))
    return `counted and dropped: ${explainDrop('inbox', 'unsupported', categoryOf(type)).why}`
  return (Object.hasOwn(SHOWN, type) && SHOWN[type]) || 'stored until the retention deletes it; no screen shows it'
}

function checkRetention({ now }: Examination, { retention, storage }: StoreHealth): Finding {
  const check = { id: 'retention', check: 'Retention is up to date' }
  if (!retention)
    return {
      ...check,
      check: 'Retention has not run yet',
      verdict: 'quiet',
      says: `Data is stored for ${storage.retentionDays} days.`
    }
  if (retention.behind)
    return {
      ...check,
      check: 'Retention is behind',
      verdict: 'look',
      says: 'Old data is deleted more slowly than new data arrives. Retention last ran',
      at: retention.at,
      todo: 'It continues by itself. If it stays behind, raise INBOX_MAX_BYTES or lower INBOX_RETENTION_DAYS.'
    }
  if (retention.at < now - DAY)
    return {
      ...check,
      check: 'Retention has stopped',
      verdict: 'bad',
      says: 'Retention should run every hour. It last ran',
      at: retention.at,
      todo: 'The log has the reason.'
    }
  return {
    ...check,
    verdict: 'good',
    says: `Data is stored for ${storage.retentionDays} days. Retention last ran`,
    at: retention.at
  }
}

function checkDisk({ storage: { bytes, maxBytes }, drops }: StoreHealth): Finding {
  const check = { id: 'disk', check: 'Storage has room' }
  const isBounded = maxBytes > 0
  const share = isBounded ? bytes / maxBytes : 0
  const says = isBounded ? `${toSize(bytes)} of ${toSize(maxBytes)} used.` : `${toSize(bytes)} used in the database.`
  if (drops.some(({ origin, reason }) => origin === 'inbox' && reason === 'full') || share >= FULL)
    return {
      ...check,
      check: share >= FULL ? 'Storage is full' : 'Storage was full in the last day',
      verdict: share >= FULL ? 'bad' : 'look',
      says: `${says} Without room, events are counted but their details are not stored.`,
      todo: isBounded
        ? 'Raise INBOX_MAX_BYTES or lower INBOX_RETENTION_DAYS, and check the free space on the disk.'
        : 'Give the database more space, or lower INBOX_RETENTION_DAYS.'
    }
  if (share >= NEARLY_FULL)
    return {
      ...check,
      check: 'Storage is nearly full',
      verdict: 'look',
      says: `${says} When the storage is full, the oldest data is deleted before its retention period ends.`,
      todo: 'Raise INBOX_MAX_BYTES, or lower INBOX_RETENTION_DAYS.'
    }
  return { ...check, verdict: 'good', says }
}

function checkAlerts({ deadAlerts: { messages, error } }: StoreHealth): Finding {
  const check = { id: 'alerts', check: 'Alerts are delivered' }
  if (messages === 0) return { ...check, verdict: 'good', says: 'No message was given up in the last day.' }
  return {
    ...check,
    check: 'Alerts were not delivered',
    verdict: 'look',
    says: `${messages === 1 ? '1 message was' : `${messages.toLocaleString('en')} messages were`} given up in the last day, after a day of attempts. The newest failed with:`,
    ...(error !== undefined && { sample: error }),
    todo: 'Correct the address of the channel in Settings, Alerts, then send the messages again from its delivery log.'
  }
}

function checkFile({ corrupt }: StoreHealth): Finding {
  const check = { id: 'file', check: 'The database file is intact' }
  if (!corrupt) return { ...check, verdict: 'good', says: 'No damage was found.' }
  return {
    ...check,
    check: 'The database file was damaged',
    verdict: 'look',
    says: 'A damaged file was put aside. What could be read of it is in a new one, begun',
    at: corrupt.at,
    sample: corrupt.aside,
    todo: 'Projects, people, issues and the newest events were carried over; older events are in the file put aside, or in a backup: see "Backup and restore" in docs/data.md of @hull/inbox. Delete it when it is of no use.'
  }
}

function checkReplicas({ hasOwnSecret, isShared }: Examination): Finding {
  if (hasOwnSecret)
    return {
      id: 'replicas',
      check: 'Each replica signs sessions with a key of its own',
      verdict: 'bad',
      says: 'DATABASE_URL or REDIS_URL connects replicas, and SESSION_SECRET is not set. A visitor who reaches another replica is signed out.',
      todo: 'Set SESSION_SECRET to the same value on every replica: openssl rand -base64 32'
    }
  if (isShared)
    return {
      id: 'replicas',
      check: 'Replicas share the inbox',
      verdict: 'good',
      says: 'All replicas with this DATABASE_URL store their events here, and show the same inbox.'
    }
  return {
    id: 'replicas',
    check: 'Replicas',
    verdict: 'quiet',
    says: 'This inbox belongs to this process. Every replica has its own inbox with the events that were sent to it.',
    todo: 'To see all replicas in one place, set DATABASE_URL to the same PostgreSQL database on each of them.'
  }
}

function toSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let size = bytes
  let unit = 0
  for (; size >= 1_000 && unit < units.length - 1; unit++) size /= 1_024
  return `${size >= 10 || unit === 0 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`
}
