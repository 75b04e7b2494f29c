import type { Store } from '../../../lib/inbox/store.ts'
import { FAULTS, makeFault, type Fault } from './catalogue.ts'
import { BROWSERS, makeDetail, systemOf } from './detail.ts'
import { DAY, HOUR, Ledger, type SeedEvent } from './ledger.ts'
import { Random } from './random.ts'
import { addTrace, type MadeTrace, type Visit } from './traces.ts'

const ROUTES: [route: string, path: string][] = [
  ['/', '/'],
  ['/items/[id]', '/items/12'],
  ['/checkout', '/checkout'],
  ['/cart', '/cart'],
  ['/search', '/search'],
  ['/account/orders', '/account/orders']
]

/** When each was deployed, in days before now. */
const RELEASES: [version: string, age: number][] = [
  ['1.2.0', 13.6],
  ['1.3.0', 9.2],
  ['1.3.1', 6.1],
  ['1.4.0', 2.4],
  ['1.4.1', 0.9]
]

/** Payloads that each issue has, of its newest events. */
const PAYLOADS = 12

/** Issues beside those of the catalogue, a few events a day each. */
const QUIETER = 18

interface Scene {
  ledger: Ledger
  random: Random
  now: number
  releases: { id: number; version: string; at: number }[]
  traces: (MadeTrace & Visit)[]
}

/**
 * A shop's fortnight: a few dozen issues in every state with stacks, breadcrumbs and requests, traces with retries,
 * vitals, sessions and five releases. The same in every run, up to `now`.
 * @param store an empty one
 */
export function seedShowcase(store: Store, now = Date.now()): void {
  store.transaction(() => {
    const ledger = new Ledger(store)
    const random = new Random(20)
    ledger.project(1, 'Shop', 'a'.repeat(32), now - 14 * DAY)
    ledger.project(2, 'Workers', 'b'.repeat(32), now - 13 * DAY)
    const releases = RELEASES.map(([version, age]) => {
      const at = Math.round(now - age * DAY)
      return { id: ledger.release(1, version, at), version, at }
    })
    const scene: Scene = { ledger, random, now, releases, traces: [] }
    addVisits(scene)
    const issues = addIssues(scene)
    addSessions(scene)
    ledger.flush()
    addStates(scene, issues)
    addOddments(scene, store)
  })
}

const releaseAt = ({ releases, random }: Scene, at: number) => {
  const current = releases.findLastIndex((release) => release.at <= at)
  // Some tabs are older than the deploy.
  return releases[Math.max(0, random.chance(0.85) ? current : current - 1)]!
}

/** More by day than by night, and less the longer ago. */
function* timesOf({ random, now }: Scene, count: number, from: number, to: number): Generator<number> {
  const times: number[] = []
  while (times.length < count) {
    const at = from + (to - from) * random.next()
    const daylight = 0.5 - 0.5 * Math.cos((at / DAY) * 2 * Math.PI)
    if (random.next() < 0.25 + daylight * 0.75) times.push(Math.round(at))
  }
  yield* times.filter((at) => at < now).sort((a, b) => a - b)
}

function addVisits(scene: Scene): void {
  const { ledger, random, now } = scene
  const times = [...timesOf(scene, 420, now - 14 * DAY, now - DAY), ...timesOf(scene, 260, now - DAY, now - 60_000)]
  for (const at of times) {
    const [route, path] = random.pickSkewed(ROUTES, 1.6)
    const attempts = route === '/items/[id]' ? random.pickSkewed([1, 2, 3, 4], 3) : 0
    const visit: Visit = {
      ...{ at, route, path, attempts, release: releaseAt(scene, at).id },
      environment: random.chance(0.9) ? 'production' : 'staging',
      fails: attempts === 4 && random.chance(0.7),
      isNavigation: random.chance(0.4)
    }
    scene.traces.push({ ...visit, ...addTrace(ledger, random, visit) })
  }
}

interface Happening {
  fault: Fault
  at: number
  trace?: MadeTrace & Visit
}

function addIssues(scene: Scene): Map<Fault, number> {
  const { random, now, traces } = scene
  const happenings: Happening[] = []
  const quieter = Array.from({ length: QUIETER }, (_, number) => makeFault(random, number + 1))
  for (const fault of [...FAULTS, ...quieter]) {
    const from = now - Math.min(fault.age, 13.9) * DAY
    const to = now - (fault.quiet ?? random.next()) * HOUR
    const count = Math.max(3, Math.round((fault.rate * (to - from)) / DAY / 2))
    for (const at of timesOf(scene, count, from, to)) happenings.push({ fault, at })
    const own = traces.filter(
      ({ route, at, fails }) => route === fault.route && at > from && at < to && (fault.side === 'browser' || fails)
    )
    for (const trace of own.slice(-6)) happenings.push({ fault, at: trace.at + 180, trace })
  }
  happenings.sort((a, b) => a.at - b.at)
  const issues = new Map<Fault, number>()
  const left = new Map<Fault, number>()
  for (const { fault } of happenings) left.set(fault, (left.get(fault) ?? 0) + 1)
  for (const happening of happenings) {
    const { fault } = happening
    left.set(fault, left.get(fault)! - 1)
    if (!issues.has(fault)) issues.set(fault, addIssue(scene, happening))
    addEvent(scene, issues.get(fault)!, happening, left.get(fault)! < PAYLOADS)
  }
  return issues
}

function addIssue({ ledger, random }: Scene, { fault, at }: Happening): number {
  const { project = 1, type, side, level = 'error', frames } = fault
  const [frame] = frames.filter(({ inApp }) => inApp)
  const culprit = frame ? `${frame.file}:${frame.function}` : fault.route
  const value = fault.value(new Random(3))
  const issue = ledger.issue(project, { type, value, culprit, level, side, url: fault.url })
  const own = frames.filter(({ inApp, source }) => inApp && source)
  const parts = own.length > 0 ? [type, ...own.slice(0, 3).map((one) => `${one.file}|${one.function}`)] : [type, value]
  ledger.key(issue, random.hex(64), own.length > 0 ? 'frames' : 'message', parts, at)
  return issue
}

function addEvent(scene: Scene, issue: number, { fault, at, trace }: Happening, withPayload: boolean): void {
  const { ledger, random } = scene
  const release = fault.project === 2 ? undefined : releaseAt(scene, at)
  const browser =
    fault.side === 'browser'
      ? random.pickSkewed(BROWSERS.filter((name) => fault.browsers?.test(name) ?? true))
      : undefined
  const person = random.between(1, 400)
  const event: SeedEvent & { version?: string } = {
    ...{ eventId: random.hex(32), at, level: fault.level ?? 'error', release: release?.id ?? 0, route: fault.route },
    ...(release && { version: release.version }),
    environment: trace?.environment ?? random.pickSkewed(fault.environments ?? ['production', 'staging'], 6),
    ...(fault.url && { url: fault.url }),
    ...(browser !== undefined && { browser, os: systemOf(browser, random) }),
    ...(fault.url && { visitor: person < 180 ? `u_${person}` : random.hex(2).repeat(16) }),
    ...(fault.side === 'server' && fault.url && { digest: digestOf(random) }),
    ...(trace && { traceId: trace.traceId, spanId: fault.side === 'browser' ? trace.browserSpan : trace.serverSpan }),
    tags: [...(release ? ([['release', release.version]] as const) : []), ...(fault.tags ?? [])]
  }
  const row = ledger.event(issue, event)
  if (!withPayload) return
  ledger.payload(row, makeDetail(fault, { ...event, tags: fault.tags ?? [] }, random, fault.value(random)))
}

const digestOf = (random: Random) =>
  Array.from({ length: 12 }, () => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[random.below(32)]!).join('')

function addSessions(scene: Scene): void {
  const { ledger, random, now } = scene
  for (const started of timesOf(scene, 3_000, now - 13.5 * DAY, now)) {
    const status = random.chance(0.012) ? 'crashed' : random.chance(0.01) ? 'abnormal' : 'exited'
    const errors = status === 'crashed' ? 1 : Number(random.chance(0.04))
    const environment = random.chance(0.92) ? 'production' : 'staging'
    ledger.session(1, {
      sid: random.hex(32),
      started,
      status,
      errors,
      release: releaseAt(scene, started).id,
      environment
    })
  }
}

function addStates({ ledger, now, releases }: Scene, issues: Map<Fault, number>): void {
  const { store } = ledger
  for (const [id, name, role] of [
    [1, 'Ada Moreau', 'admin'],
    [2, 'Kofi Mensah', 'viewer']
  ] as const)
    store.run(
      'INSERT OR IGNORE INTO person (id, name, role, created) VALUES (?, ?, ?, ?)',
      id,
      name,
      role,
      now - 12 * DAY
    )
  const note = (issue: number, at: number, who: number | null, kind: string, data: object = {}) =>
    store.run(
      'INSERT INTO activity (issue, at, who, kind, data) VALUES (?, ?, ?, ?, ?)',
      issue,
      Math.round(at),
      who,
      kind,
      JSON.stringify(data)
    )
  for (const [fault, issue] of issues) {
    const { firstSeen, lastSeen } = ledger.seen(issue)
    note(issue, firstSeen, null, 'created')
    const changed = Math.round(lastSeen - (lastSeen - firstSeen) * 0.1)
    if (fault.state === 'resolved' || fault.state === 'regressed') {
      const at = fault.state === 'resolved' ? lastSeen + HOUR : changed - 6 * HOUR
      note(issue, at, 1, 'resolved', { inNext: false, release: releases[2]!.version })
      ledger.state(issue, 'resolved', {
        at,
        resolvedRelease: releases[2]!.id,
        inOldRelease: fault.state === 'resolved' ? 2 : 0
      })
    }
    if (fault.state === 'regressed') {
      note(issue, changed, null, 'regressed', { release: releases[3]!.version })
      ledger.state(issue, 'regressed', { at: changed })
      store.run('UPDATE release SET regressions = regressions + 1 WHERE id = ?', releases[3]!.id)
    }
    if (fault.state === 'ignored') {
      note(issue, changed, 2, 'ignored', { until: now + 7 * DAY })
      ledger.state(issue, 'ignored', { at: changed, ignoredUntil: now + 7 * DAY })
    }
  }
}

/** What has no issue of its own, or hangs on one. */
function addOddments({ now, random }: Scene, store: Store): void {
  const hour = Math.floor(now / HOUR)
  for (const [origin, reason, category, quantity] of [
    ['client', 'ratelimit_backoff', 'span', 214],
    ['client', 'network_error', 'error', 3],
    ['tunnel', 'too_old', 'error', 2],
    ['inbox', 'spike', 'payload', 480]
  ] as const)
    store.run('INSERT INTO drop_hour VALUES (1, ?, ?, ?, ?, ?)', hour - 3, origin, reason, category, quantity)
  const [event] = store.all<{ event_id: string }>('SELECT event_id FROM event WHERE issue = 1 ORDER BY id DESC LIMIT 1')
  const about = event!.event_id
  store.run(
    'INSERT INTO feedback (project, event_id, about, at, received, name, email, message, url) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)',
    ...[random.hex(32), about, now - 60_000, now - 59_000, 'Ines Duarte', 'ines@example.org'],
    ...['I pressed pay and the page went away. Was I charged?', 'https://shop.example/checkout']
  )
  const body = Buffer.from(JSON.stringify({ cart: 'c_81922', lines: 3, total: 12_840, currency: 'EUR' }, null, 2))
  store.run(
    'INSERT INTO attachment (project, event_id, filename, content_type, size, body, received) VALUES (1, ?, ?, ?, ?, ?, ?)',
    ...[about, 'cart.json', 'application/json', body.length, body, now]
  )
  const traced = store.get<{ trace_id: string }>(
    'SELECT trace_id FROM event WHERE trace_id IS NOT NULL ORDER BY id DESC LIMIT 1'
  )
  for (const [level, text] of [
    ['info', 'incoming request'],
    ['warn', 'stock.internal answered 503, trying again'],
    ['error', 'giving up after 4 attempts']
  ] as const)
    store.run(
      'INSERT INTO log (project, at, received, level, trace_id, body, attributes) VALUES (1, ?, ?, ?, ?, ?, ?)',
      now,
      now,
      level,
      traced!.trace_id,
      text,
      '{}'
    )
}
