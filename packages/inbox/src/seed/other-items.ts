import { DAY, HOUR, MINUTE } from '@hull/common/time.ts'
import { writeSetting } from '../store/stored-settings.ts'
import type { Store } from '../store/store.ts'
import { writeRow } from '../store/rows.ts'
import type { Random } from './random.ts'

/** Adds what is neither event nor span: figures of what was stored and dropped, feedback, an attachment and logs. */
export function addOtherItems(store: Store, random: Random, now: number): void {
  addIntake(store, random, now)
  addFeedback(store, random, now)
  addLogs(store, random, now)
}

const DROPS: [origin: string, reason: string, category: string, quantity: number][] = [
  ['client', 'ratelimit_backoff', 'span', 214],
  ['client', 'network_error', 'error', 3],
  ['tunnel', 'expired', 'error', 2],
  ['inbox', 'sampled', 'error', 480]
]

const ITEM_TYPES: [type: string, stored: number, dropped: number][] = [
  ['transaction', 41_200, 0],
  ['session', 18_900, 0],
  ['event', 9_300, 2],
  ['log', 4_100, 0],
  ['check_in', 1_344, 0],
  ['replay_recording', 0, 37],
  ['feedback', 1, 0],
  ['attachment', 1, 0]
]

/** Adds what the screens of storage and the doctor show. */
function addIntake(store: Store, random: Random, now: number): void {
  writeSetting(store, 'last_received', { browser: now - 40_000, server: now - 95_000 })
  writeSetting(store, 'max_bytes', 2 * 1024 ** 3)
  writeSetting(store, 'retention_days', 30)
  writeSetting(store, 'retention', { at: now - 20 * MINUTE, rows: 1_240, behind: false })
  const hour = Math.floor(now / HOUR) - 3
  for (const [origin, reason, category, quantity] of DROPS)
    writeRow(store, 'drop_hour', { project: 1, hour, origin, reason, category, quantity })
  for (const [type, stored, dropped] of ITEM_TYPES)
    writeRow(store, 'item_type', { type, stored, dropped, first: now - 14 * DAY, last: now - random.below(600_000) })
}

/** Adds feedback about the newest event, and an attachment of that event. */
function addFeedback(store: Store, random: Random, now: number): void {
  const { about } = store.get<{ about: string }>(
    'SELECT event_id AS about FROM event WHERE project = 1 ORDER BY id DESC LIMIT 1'
  )!
  writeRow(store, 'feedback', {
    project: 1,
    event_id: random.hex(32),
    about,
    at: now - MINUTE,
    received: now - 59_000,
    name: 'Ines Duarte',
    email: 'ines@example.org',
    message: 'I pressed pay and the page went away. Was I charged?',
    url: 'https://shop.example/checkout'
  })
  const body = Buffer.from(JSON.stringify({ cart: 'c_81922', lines: 3, total: 12_840, currency: 'EUR' }, null, 2))
  writeRow(store, 'attachment', {
    project: 1,
    event_id: about,
    filename: 'cart.json',
    content_type: 'application/json',
    size: body.length,
    body,
    received: now
  })
}

/** Log lines of the newest event's trace. */
const TRACE_LOGS: [level: string, body: string][] = [
  ['info', 'incoming request'],
  ['warn', 'stock.internal answered 503, trying again'],
  ['error', 'giving up after 4 attempts']
]

/** Log lines of other traces, most frequent first. */
const LOGS: [level: string, body: string, attributes: Record<string, string | number>][] = [
  ['info', 'order %d placed', { 'order.currency': 'EUR', 'cart.lines': 3, 'user.id': 'u_42' }],
  ['debug', 'prices read from the cache in %d ms', { 'cache.hit': 'true' }],
  ['info', 'stock of item %d updated', { 'server.address': 'shop-2' }],
  ['warn', 'payment provider answered after %d ms', { 'http.url': 'https://pay.example/charges', attempt: 2 }],
  ['error', 'invoice %d could not be sent', { 'mail.host': 'smtp.example', code: 'ETIMEDOUT' }]
]

function addLogs(store: Store, random: Random, now: number): void {
  const { trace } = store.get<{ trace: string }>(
    'SELECT trace_id AS trace FROM event WHERE trace_id IS NOT NULL ORDER BY id DESC LIMIT 1'
  )!
  for (const [level, body] of TRACE_LOGS)
    writeRow(store, 'log', { project: 1, at: now, received: now, level, trace_id: trace, body, attributes: '{}' })
  for (let minute = 150; minute > 0; minute--) {
    const at = now - minute * MINUTE - random.below(50_000)
    const [level, body, attributes] = random.pickSkewed(LOGS)
    const environment = random.chance(0.9) ? 'production' : 'staging'
    writeRow(store, 'log', {
      project: 1,
      at,
      received: at,
      level,
      body: body.replace('%d', String(random.between(3, 900))),
      attributes: JSON.stringify(attributes),
      environment
    })
  }
}
