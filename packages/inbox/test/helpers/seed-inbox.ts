import { DAY } from '@hull/common/time.ts'
import { ISSUE_STATES } from '../../src/store/model.ts'
import type { Store } from '../../src/store/store.ts'
import { createRandomError } from '../../src/seed/random-error.ts'
import type { SampleError } from '../../src/seed/sample-errors.ts'
import { BROWSERS, makeDetail, systemOf } from '../../src/seed/detail.ts'
import { writeRow } from '../../src/store/rows.ts'
import { compress, SeedWriter, type SeedEvent } from '../../src/seed/seed-writer.ts'
import { Random } from '../../src/seed/random.ts'

interface SeedOptions {
  events: number
  /** Number of issues. @default one per hundred events */
  issues?: number
  /** Number of visitors. @default one per five events */
  visitors?: number
  /** Number of spans, six per trace. @default one per four events */
  spans?: number
  /** Number of sessions. @default one per ten events */
  sessions?: number
  /** Number of releases. @default 30 */
  releases?: number
  /** Days that the data covers. @default 30 */
  days?: number
  /** Share of events with a payload. @default 0.02 */
  payloads?: number
  /**
   * Random event ids, like those of clients. Ascending ids are appended to the index, which is faster.
   * @default false
   */
  scattered?: boolean
  /** Milliseconds since the epoch at which the data ends. @default now */
  now?: number
}

interface BulkIssue {
  id: number
  sample: SampleError
  tags: readonly (readonly [string, string])[]
  /** Compressed payload of the issue's events. */
  payload: Uint8Array | undefined
}

/** Routes of the traces, most frequent first. */
const ROUTES = Array.from({ length: 20 }, (_, index) => `/${'abcdefghijklmnopqrst'[index]}/[id]`)

/**
 * Fills an empty store with rows like those of a busy month: a few issues have most of the events, new issues appear
 * all the time, and values suit the filters. The result only depends on the options and `now`.
 */
export function seedInbox(store: Store, options: SeedOptions): void {
  const { events, days = 30, now = Date.now() } = options
  const { issues = Math.ceil(events / 100), spans = events / 4, sessions = events / 10, releases = 30 } = options
  const random = new Random(7)
  const start = now - days * DAY
  store.transaction(() => {
    const writer = new SeedWriter(store)
    writer.project(1, 'Shop', 'a'.repeat(32), start)
    const versions = Array.from({ length: releases }, (_, index) => `1.${index}.0`)
    const ids = versions.map((version, index) => writer.release(1, version, start + (index * days * DAY) / releases))
    const releaseAt = (at: number) => {
      const current = Math.floor(((at - start) / (days * DAY)) * releases)
      return Math.max(0, Math.min(releases - 1, random.chance(0.9) ? current : current - 1))
    }
    addEvents(writer, random, { ...options, issues }, start, now, (at) => {
      const index = releaseAt(at)
      return { id: ids[index]!, version: versions[index]! }
    })
    for (let index = 0; index < spans / 6; index++) {
      const at = start + ((now - start) * index * 6) / spans
      addTrace(writer, random, at, ids[releaseAt(at)]!)
    }
    for (let index = 0; index < sessions; index++) {
      const started = Math.round(start + ((now - start) * index) / sessions)
      const status = random.chance(0.01) ? 'crashed' : 'ok'
      const environment = environmentOf(random)
      const errors = Number(status === 'crashed')
      writer.session(1, {
        sid: random.hex(32),
        started,
        status,
        errors,
        release: ids[releaseAt(started)]!,
        environment
      })
    }
    writer.flush()
    spreadStates(store, now)
  })
}

const environmentOf = (random: Random): string => random.pickSkewed(['production', 'staging', 'preview'], 4)

function addEvents(
  writer: SeedWriter,
  random: Random,
  {
    events,
    issues,
    visitors = Math.ceil(events / 5),
    payloads = 0.02,
    scattered = false
  }: SeedOptions & { issues: number },
  start: number,
  now: number,
  releaseOf: (at: number) => { id: number; version: string }
): void {
  const known: BulkIssue[] = []
  let seen = 0
  for (let index = 0; index < events; index++) {
    const at = Math.round(start + ((now - start) * (index + 0.5)) / events)
    // A tenth of the issues exists from the beginning.
    const wanted = Math.ceil(issues * (0.1 + (0.9 * index) / events))
    while (known.length < wanted) known.push(addIssue(writer, random, known.length + 1, at))
    // Each issue has at least one event; older issues have more.
    const isFirst = seen < known.length
    const issue = isFirst ? known[seen++]! : known[Math.floor(known.length * random.next() ** 3)]!
    const release = releaseOf(at)
    const eventId = scattered ? random.hex(32) : index.toString(16).padStart(32, '0')
    const event = makeEvent(random, issue, eventId, at, release, visitors)
    const row = writer.event(issue.id, event)
    if (!random.chance(payloads) && !isFirst) continue
    issue.payload ??= compress(
      makeDetail(issue.sample, { ...event, version: release.version }, random, issue.sample.value(random))
    )
    writer.payload(row, issue.payload)
  }
}

function addIssue(writer: SeedWriter, random: Random, number: number, at: number): BulkIssue {
  const sample = createRandomError(random, number)
  const { type, side, level = 'error', route, url, frames, tags = [] } = sample
  const culprit = `${frames[0]!.file}:${frames[0]!.function}`
  const id = writer.issue(1, { type, value: sample.value(random), culprit, level, side, url })
  writer.key(id, number.toString(16).padStart(64, '0'), { by: 'frames', parts: [type, culprit, route] }, at)
  return { id, sample, tags, payload: undefined }
}

function makeEvent(
  random: Random,
  { sample, tags }: BulkIssue,
  eventId: string,
  at: number,
  release: { id: number; version: string },
  visitors: number
): SeedEvent {
  const browser = sample.side === 'browser' ? random.pickSkewed(BROWSERS) : undefined
  return {
    eventId,
    at,
    level: sample.level ?? 'error',
    release: release.id,
    environment: environmentOf(random),
    route: sample.route,
    url: sample.url,
    ...(browser !== undefined && { browser, os: systemOf(browser, random) }),
    visitor: `u_${Math.floor(visitors * random.next() ** 2)}`,
    ...(random.chance(0.1) && {
      traceId: eventId.replace(/^0+/, (zeros) => 'f'.repeat(zeros.length)),
      spanId: 'f'.repeat(16)
    }),
    tags: [['release', release.version], ...tags]
  }
}

function addTrace(writer: SeedWriter, random: Random, at: number, release: number): void {
  const traceId = random.hex(32)
  const route = random.pickSkewed(ROUTES)
  const environment = environmentOf(random)
  const start = Math.round(at * 1000)
  const ids = Array.from({ length: 6 }, () => random.hex(16))
  const add = (index: number, side: 'browser' | 'server', op: string, parent: number | undefined, duration: number) =>
    writer.span(
      1,
      {
        traceId,
        spanId: ids[index]!,
        ...(parent !== undefined && { parentId: ids[parent]! }),
        isSegment: op === 'pageload' || op === 'http.server',
        side,
        name: route,
        op,
        status: random.chance(0.02) ? 'error' : 'ok',
        start,
        duration: Math.round(duration * 1000),
        environment,
        attributes: {}
      },
      release
    )
  const server = random.skewed(20)
  add(0, 'browser', 'pageload', undefined, server + random.skewed(700))
  add(1, 'browser', 'browser.request', 0, server + 40)
  add(2, 'server', 'http.server', 1, server)
  add(3, 'server', 'getData', 2, server * 0.6)
  add(4, 'server', 'http.client', 3, server * 0.5)
  add(5, 'server', 'render', 2, server * 0.3)
  const vital = { traceId, at: Math.round(at), page: route, environment }
  writer.vital(1, { ...vital, name: 'LCP', value: Math.round(random.skewed(1_600)) }, release)
  writer.vital(1, { ...vital, name: 'INP', value: Math.round(random.skewed(90)) }, release)
}

/** Sets the states of the issues; most are open. */
function spreadStates(store: Store, now: number): void {
  for (const { id } of store.all<{ id: number }>('SELECT id FROM issue')) {
    const place = (id * 7_919) % 100
    const state = ISSUE_STATES[place < 60 ? 0 : place < 65 ? 1 : place < 90 ? 2 : 3]
    writeRow(store, 'activity', { issue: id, at: now, kind: 'created' })
    if (state !== 'unresolved') store.write('UPDATE issue SET state = ?, changed = ? WHERE id = ?', state, now, id)
  }
}
