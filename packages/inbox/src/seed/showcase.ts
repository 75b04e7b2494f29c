import { DAY, HOUR, MINUTE } from '@hull/common/time.ts'
import type { Store } from '../store/store.ts'
import { addAlerts } from './alerts.ts'
import { createRandomError } from './random-error.ts'
import { SAMPLE_ERRORS, type SampleError } from './sample-errors.ts'
import { BROWSERS, makeDetail, systemOf } from './detail.ts'
import { writeRow } from '../store/rows.ts'
import { SeedWriter, type SeedEvent } from './seed-writer.ts'
import { addMonitors } from './monitors.ts'
import { addOtherItems } from './other-items.ts'
import { Random } from './random.ts'
import { addReleases } from './releases.ts'
import { addTrace, type SeedTrace, type Visit } from './traces.ts'

const ROUTES: [route: string, path: string][] = [
  ['/', '/'],
  ['/items/[id]', '/items/12'],
  ['/checkout', '/checkout'],
  ['/cart', '/cart'],
  ['/search', '/search'],
  ['/account/orders', '/account/orders']
]

/** Newest events of each issue that have a payload. */
const PAYLOADS = 12

/** Issues in addition to those of the catalogue, with a few events per day each. */
const QUIETER = 18

interface Scene {
  writer: SeedWriter
  random: Random
  now: number
  releases: { id: number; version: string; at: number }[]
  traces: (SeedTrace & Visit)[]
}

/**
 * Fills a store with a shop's fortnight: a few dozen issues in every state with stacks, breadcrumbs and requests,
 * traces with retries, vitals, sessions and five releases. The same in every run, up to `now`.
 * @param store an empty store
 */
export function seedShowcase(store: Store, now = Date.now()): void {
  store.transaction(() => {
    const writer = new SeedWriter(store)
    const random = new Random(20)
    writer.project(1, 'Shop', 'a'.repeat(32), now - 14 * DAY)
    store.write("UPDATE project SET repository_host = 'github', repository_url = 'https://github.com/acme/shop'")
    writer.project(2, 'Workers', 'b'.repeat(32), now - 13 * DAY)
    const releases = addReleases(writer, 1, now)
    const scene: Scene = { writer, random, now, releases, traces: [] }
    addVisits(scene)
    const issues = addIssues(scene)
    addSessions(scene)
    writer.flush()
    addStates(scene, issues)
    addOtherItems(store, random, now)
    addAlerts(store, now)
    addMonitors(store, random, now)
  })
}

const releaseAt = ({ releases, random }: Scene, at: number) => {
  const current = releases.findLastIndex((release) => release.at <= at)
  // Some tabs still run the previous release.
  return releases[Math.max(0, random.chance(0.85) ? current : current - 1)]!
}

/** Yields times: more during the day than at night, and fewer further in the past. */
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
  const { writer, random, now } = scene
  const times = [...timesOf(scene, 420, now - 14 * DAY, now - DAY), ...timesOf(scene, 260, now - DAY, now - MINUTE)]
  for (const at of times) {
    const [route, path] = random.pickSkewed(ROUTES, 1.6)
    const attempts = route === '/items/[id]' ? random.pickSkewed([1, 2, 3, 4], 3) : 0
    const visit: Visit = {
      at,
      route,
      path,
      attempts,
      release: releaseAt(scene, at).id,
      environment: random.chance(0.9) ? 'production' : 'staging',
      fails: attempts === 4 && random.chance(0.7),
      isNavigation: random.chance(0.4)
    }
    scene.traces.push({ ...visit, ...addTrace(writer, random, visit) })
  }
}

interface Occurrence {
  sample: SampleError
  at: number
  trace?: SeedTrace & Visit
}

function addIssues(scene: Scene): Map<SampleError, number> {
  const { random, now, traces } = scene
  const occurrences: Occurrence[] = []
  const quieter = Array.from({ length: QUIETER }, (_, number) => createRandomError(random, number + 1))
  for (const sample of [...SAMPLE_ERRORS, ...quieter]) {
    const from = now - Math.min(sample.age, 13.9) * DAY
    const to = now - (sample.quiet ?? random.next()) * HOUR
    const count = Math.max(3, Math.round((sample.rate * (to - from)) / DAY / 2))
    for (const at of timesOf(scene, count, from, to)) occurrences.push({ sample, at })
    const own = traces.filter(
      ({ route, at, fails }) => route === sample.route && at > from && at < to && (sample.side === 'browser' || fails)
    )
    for (const trace of own.slice(-6)) occurrences.push({ sample, at: trace.at + 180, trace })
  }
  occurrences.sort((a, b) => a.at - b.at)
  const issues = new Map<SampleError, number>()
  const left = new Map<SampleError, number>()
  for (const { sample } of occurrences) left.set(sample, (left.get(sample) ?? 0) + 1)
  for (const occurrence of occurrences) {
    const { sample } = occurrence
    left.set(sample, left.get(sample)! - 1)
    if (!issues.has(sample)) issues.set(sample, addIssue(scene, occurrence))
    addEvent(scene, issues.get(sample)!, occurrence, left.get(sample)! < PAYLOADS)
  }
  return issues
}

function addIssue({ writer, random }: Scene, { sample, at }: Occurrence): number {
  const { project = 1, type, side, level = 'error', frames } = sample
  const [frame] = frames.filter(({ inApp }) => inApp)
  const culprit = frame ? `${frame.file}:${frame.function}` : sample.route
  const value = sample.value(new Random(3))
  const issue = writer.issue(project, { type, value, culprit, level, side, url: sample.url })
  const own = frames.filter(({ inApp, source }) => inApp && source)
  const parts = own.length > 0 ? [type, ...own.slice(0, 3).map((one) => `${one.file}|${one.function}`)] : [type, value]
  writer.key(issue, random.hex(64), { by: own.length > 0 ? 'frames' : 'message', parts }, at)
  return issue
}

function addEvent(scene: Scene, issue: number, { sample, at, trace }: Occurrence, withPayload: boolean): void {
  const { writer, random } = scene
  const release = sample.project === 2 ? undefined : releaseAt(scene, at)
  const browser =
    sample.side === 'browser'
      ? random.pickSkewed(BROWSERS.filter((name) => sample.browsers?.test(name) ?? true))
      : undefined
  const person = random.between(1, 400)
  const event: SeedEvent & { version?: string } = {
    eventId: random.hex(32),
    at,
    level: sample.level ?? 'error',
    release: release?.id ?? 0,
    route: sample.route,
    ...(release && { version: release.version }),
    environment: trace?.environment ?? random.pickSkewed(sample.environments ?? ['production', 'staging'], 6),
    ...(sample.url && { url: sample.url }),
    ...(browser !== undefined && { browser, os: systemOf(browser, random) }),
    ...(sample.url && { visitor: person < 180 ? `u_${person}` : random.hex(2).repeat(16) }),
    ...(sample.side === 'server' && sample.url && { digest: digestOf(random) }),
    ...(trace && { traceId: trace.traceId, spanId: sample.side === 'browser' ? trace.browserSpan : trace.serverSpan }),
    tags: [...(release ? ([['release', release.version]] as const) : []), ...(sample.tags ?? [])]
  }
  const row = writer.event(issue, event)
  if (!withPayload) return
  writer.payload(row, makeDetail(sample, { ...event, tags: sample.tags ?? [] }, random, sample.value(random)))
}

const digestOf = (random: Random) =>
  Array.from({ length: 12 }, () => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[random.below(32)]!).join('')

function addSessions(scene: Scene): void {
  const { writer, random, now } = scene
  for (const started of timesOf(scene, 3_000, now - 13.5 * DAY, now)) {
    const ending = random.chance(0.012) ? 'crashed' : random.chance(0.01) ? 'abnormal' : 'ok'
    const errors = ending === 'crashed' ? 1 : Number(random.chance(0.04))
    const status = ending === 'ok' && errors > 0 ? 'errored' : ending
    const environment = random.chance(0.92) ? 'production' : 'staging'
    writer.session(1, {
      sid: random.hex(32),
      started,
      status,
      errors,
      release: releaseAt(scene, started).id,
      environment
    })
  }
}

/** State of an issue before a change, for undo. */
const BEFORE = {
  state: 'unresolved',
  resolved_release: null,
  resolved_in_next: 0,
  ignored_until_events: null,
  ignored_until: null,
  in_old_release: 0,
  changed: null
}

/** Adds the states that people and later events gave the issues. */
function addStates({ writer, now, releases }: Scene, issues: Map<SampleError, number>): void {
  const { store } = writer
  writeRow(store, 'person', { id: 1, name: 'Ada Moreau', role: 'admin', created: now - 12 * DAY })
  writeRow(store, 'person', { id: 2, name: 'Kofi Mensah', role: 'viewer', created: now - 11 * DAY })
  const search = { name: 'Checkout in Safari', query: 'is:unresolved url:/checkout browser:safari', sort: 'events' }
  writeRow(store, 'saved_search', { ...search, created: now - DAY })
  const change = (issue: number, at: number, who: number | undefined, kind: string, data: object, sql: string) => {
    const before = who === undefined ? undefined : JSON.stringify(BEFORE)
    writeRow(store, 'activity', { issue, at: Math.round(at), who, kind, data: JSON.stringify(data), before })
    store.write(`UPDATE issue SET ${sql}, changed = ?, version = version + 1 WHERE id = ?`, Math.round(at), issue)
  }
  const [resolvedIn, regressedIn] = [releases[2]!, releases[3]!]
  for (const [{ state }, issue] of issues) {
    const sql = 'SELECT first_seen AS "firstSeen", last_seen AS "lastSeen" FROM issue WHERE id = ?'
    const { firstSeen, lastSeen } = store.get<{ firstSeen: number; lastSeen: number }>(sql, issue)!
    writeRow(store, 'activity', { issue, at: firstSeen, kind: 'created' })
    const changed = lastSeen - (lastSeen - firstSeen) * 0.1
    if (state === 'resolved' || state === 'regressed') {
      const at = state === 'resolved' ? lastSeen + HOUR : changed - 6 * HOUR
      const release = `resolved_release = ${resolvedIn.id}, in_old_release = ${state === 'resolved' ? 2 : 0}`
      change(issue, at, 1, 'resolved', { release: resolvedIn.version }, `state = 'resolved', ${release}`)
    }
    if (state === 'regressed') {
      change(issue, changed, undefined, 'regressed', { release: regressedIn.version }, `state = 'regressed'`)
      store.write('UPDATE release SET regressions = regressions + 1 WHERE id = ?', regressedIn.id)
    }
    const until = now + 7 * DAY
    if (state === 'ignored')
      change(issue, changed, 2, 'ignored', { until }, `state = 'ignored', ignored_until = ${until}`)
  }
}
