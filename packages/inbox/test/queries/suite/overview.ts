import type { Test } from 'tap'
import { DAY, HOUR } from '@hull/common/time.ts'
import { writeSetting } from '../../../src/store/stored-settings.ts'
import { writeRow } from '../../../src/store/rows.ts'
import { toView } from '../../../src/web/view.ts'
import { Scene, type OpenStore } from './scene.ts'

/** Tests the figures of the overview, and the other totals. */
export async function testOverview(t: Test, open: OpenStore): Promise<void> {
  t.test('the overview of an empty store has no values', async (t) => {
    const { queries } = await open(t)
    const overview = await queries.getOverview({ view: { since: Date.now() - 24 * HOUR, until: Date.now() } })
    t.match(overview, {
      isEmpty: true,
      errors: { total: 0 },
      crashFree: { share: undefined, sessions: 0 },
      regressed: []
    })
    t.ok(overview.errors.series.points.every((point) => point === null))
    t.match(overview.storage, { events: 0, spans: 0, oldest: undefined })
    t.match(await queries.listIssues({ view: { since: 0, until: Date.now() } }), {
      issues: [],
      counts: { unresolved: 0 }
    })
    t.same((await queries.getChoices({})).versions, [])
    t.same((await queries.getChoices({})).environments, [])
    t.match(await queries.getHealth({}), {
      lastReceived: {},
      drops: [],
      unresolved: { frames: 0, of: 0 },
      retention: undefined
    })
  })

  t.test('a fixed time range includes its first hour and day', async (t) => {
    const { store, queries } = await open(t)
    const scene = new Scene(store)
    const day = Math.floor(scene.now / DAY) * DAY - 20 * DAY
    scene.issue('gone')
    scene.event('gone', { ago: (scene.now - day) / HOUR - 12 })
    scene.done()
    const toTime = (hours: number) => new Date(day + hours * HOUR).toISOString().slice(0, 19)
    for (const [since, until] of [
      [0, 15 * 24 + 11],
      [12, 14.3],
      [12.9, 13.1]
    ] as const) {
      const view = toView(new URLSearchParams({ since: toTime(since), until: toTime(until) }), scene.now)
      const { issues } = await queries.listIssues({ view, query: '' })
      t.match(issues, [{ eventsInRange: 1 }], `${since} to ${until}`)
      const { errors } = await queries.getOverview({ view })
      t.equal(errors.total, 1)
      t.ok(errors.series.start <= view.since)
      t.match((await queries.getIssueSeries({ id: issues[0]!.id, view })).series.points[0], 1)
    }
  })

  t.test('the most frequent issues are the first of the list to which the overview links', async (t) => {
    const { store, queries } = await open(t)
    const scene = new Scene(store)
    const release = scene.writer.release(1, '1.0.0', scene.now - 29 * DAY)
    const tags = [['release', '1.0.0']] as const
    /** Number of events of each issue: a day ago in staging, in the middle of the month, and an hour ago. */
    const ISSUES: [name: string, day: number, month: number, hour: number][] = [
      // Thirty issues had more events earlier, and thirty were seen later.
      ...Array.from({ length: 30 }, (_, at): [string, number, number, number] => [`before ${at}`, 1, 8, 0]),
      ...Array.from({ length: 30 }, (_, at): [string, number, number, number] => [`late ${at}`, 0, 0, 1]),
      ...[7, 6, 5, 4, 3].map((events): [string, number, number, number] => [`day ${events}`, events, 0, 0])
    ]
    for (const [name, day, month, hour] of ISSUES) {
      scene.issue(name)
      for (let event = 0; event < month; event++) scene.event(name, { ago: 15 * 24 + event / 100 })
      for (let event = 0; event < day; event++)
        scene.event(name, { ago: 22 + event / 100, environment: 'staging', release, tags })
      for (let event = 0; event < hour; event++) scene.event(name, { ago: 1 })
    }
    scene.done()
    const month = { since: scene.now - 30 * DAY, until: scene.now }
    for (const view of [
      scene.view(1),
      scene.view(7),
      { ...month, environment: 'staging' },
      { ...month, release: '1.0.0' },
      { ...month, release: '1.0.0', environment: 'staging' }
    ]) {
      const { mostFrequent } = await queries.getOverview({ view })
      t.same(scene.namesOf(mostFrequent), ['day 7', 'day 6', 'day 5', 'day 4', 'day 3'])
      const { issues } = await queries.listIssues({ view, sort: 'events', limit: 5 })
      t.same(scene.namesOf(issues), scene.namesOf(mostFrequent), 'the first issues of the list')
    }
    const whole = await queries.getOverview({ view: month })
    t.same(
      whole.mostFrequent.map(({ eventsInRange }) => eventsInRange),
      [9, 9, 9, 9, 9]
    )
    const none = await queries.getOverview({ view: { ...month, release: '1.0.0', environment: 'production' } })
    t.same(none.mostFrequent, [])
  })

  t.test('regressed issues of a past range, of an environment and of a release have events in it', async (t) => {
    const { store, queries } = await open(t)
    const scene = new Scene(store)
    const release = scene.writer.release(1, '1.0.0', scene.now - 29 * DAY)
    const tags = [['release', '1.0.0']] as const
    for (const name of ['then', 'since', 'both']) {
      scene.issue(name)
      if (name !== 'since') scene.event(name, { ago: 9 * 24, environment: 'staging', release, tags })
      if (name !== 'then') scene.event(name, { ago: 1 })
      scene.change(name, { state: 'regressed', changed: scene.now })
    }
    scene.done()
    const day = { since: scene.now - DAY, until: scene.now }
    const month = { since: scene.now - 30 * DAY, until: scene.now }
    const past = { since: scene.now - 10 * DAY, until: scene.now - 8 * DAY, range: 'custom' } as const
    for (const [view, names] of [
      [past, ['both', 'then']],
      [day, ['both', 'since']],
      [{ ...day, environment: 'staging' }, []],
      [{ ...day, release: '1.0.0' }, []],
      [{ ...month, environment: 'staging' }, ['both', 'then']]
    ] as const) {
      const { regressed } = await queries.getOverview({ view })
      t.same(scene.namesOf(regressed).sort(), names)
      const { issues } = await queries.listIssues({ view, query: 'is:regressed' })
      t.same(scene.namesOf(issues), scene.namesOf(regressed), 'the issues of the list to which it links')
    }
  })

  t.test('an issue from the last hours of a past range is listed, because the overview counts it', async (t) => {
    const { store, queries } = await open(t)
    const scene = new Scene(store)
    const day = Math.floor(scene.now / DAY) * DAY - 20 * DAY
    for (const [name, hours] of [
      ['first', 1],
      ['last', 5.5],
      ['after', 6.5]
    ] as const) {
      scene.issue(name)
      scene.event(name, { ago: (scene.now - day) / HOUR - hours })
    }
    scene.done()
    // Steps are six hours long, so the range ends at 06:00.
    const view = { since: day - 5 * DAY, until: day + 2.5 * HOUR, range: 'custom' } as const
    const { errors, mostFrequent } = await queries.getOverview({ view })
    t.equal(errors.total, 2)
    t.same(scene.namesOf(mostFrequent), ['last', 'first'])
    const { issues, total, counts } = await queries.listIssues({ view })
    t.same(scene.namesOf(issues), ['last', 'first'])
    t.same([total, counts.unresolved], [2, 2])
  })

  t.test('the time axis of a past range has its releases, however many releases came later', async (t) => {
    const { store, queries } = await open(t)
    const scene = new Scene(store)
    const past = scene.now - 20 * DAY
    const release = scene.writer.release(1, 'past', past)
    for (let number = 1; number <= 100; number++) scene.writer.release(1, `since-${number}`, scene.now - number)
    const id = scene.issue('gone')
    scene.event('gone', { ago: 20 * 24 - 1, release })
    scene.done()
    const view = { since: past - 6 * HOUR, until: past + 6 * HOUR, range: 'custom' } as const
    const overview = await queries.getOverview({ view })
    t.same(overview.releases, [{ version: 'past', at: past }])
    t.same(overview.newest, ['since-100'])
    t.same((await queries.getIssueSeries({ id, view })).releases, overview.releases)
  })

  t.test('the last hour includes the events before the full hour', async (t) => {
    const { store, queries } = await open(t)
    const scene = new Scene(store)
    const until = Math.floor(scene.now / DAY) * DAY - 36 * HOUR + 60_000
    scene.issue('recent')
    scene.event('recent', { ago: (scene.now - until) / HOUR + 0.1, visitor: 'u1' })
    scene.done()
    const view = { since: until - HOUR, until, range: '1h' } as const
    t.match((await queries.listIssues({ view, query: '' })).issues, [{ eventsInRange: 1 }])
    const { errors, visitors } = await queries.getOverview({ view })
    t.same([errors.total, visitors.total, errors.series.points], [1, 1, [1, 0]])
  })

  t.test('a visitor whose first error of the day was before the range is counted', async (t) => {
    const { store, queries } = await open(t)
    const scene = new Scene(store)
    const day = Math.floor(scene.now / DAY) * DAY - 3 * DAY
    scene.issue('again')
    const ago = (hours: number) => (scene.now - day) / HOUR - hours
    for (const [hours, visitor] of [
      [10.5, 'u1'],
      [11.5, 'u3'],
      [12.5, 'u1'],
      [13.5, 'u1'],
      [13.6, 'u2'],
      [15.5, 'u3'],
      [19.5, 'u3'],
      [25, 'u1']
    ] as const)
      scene.event('again', { ago: ago(hours), visitor, environment: visitor === 'u3' ? 'staging' : 'production' })
    scene.done()
    const countFrom = async (since: number, until: number, environment?: string) => {
      const view = { since: day + since * HOUR, until: day + until * HOUR, range: 'custom' } as const
      return (await queries.getOverview({ view: { ...view, environment } })).visitors.total
    }
    t.same(
      [await countFrom(12, 13), await countFrom(12, 24), await countFrom(12, 26), await countFrom(0, 24)],
      [1, 3, 4, 3],
      'also if the visitors returned in different hours'
    )
    t.same([await countFrom(12, 72), await countFrom(18, 72)], [4, 2], 'in steps of six hours')
    t.same([await countFrom(12, 24, 'staging'), await countFrom(14, 24, 'production')], [1, 0])
  })

  t.test('a visitor with errors in several releases and environments is counted once in a view', async (t) => {
    const { store, queries } = await open(t)
    const scene = new Scene(store)
    const day = Math.floor(scene.now / DAY) * DAY - 3 * DAY
    const [first, second] = ['1.0', '1.1'].map((version) => scene.writer.release(1, version, day))
    scene.issue('again')
    for (const [hours, release, environment] of [
      [10.1, first!, 'production'],
      [10.2, second!, 'production'],
      [11.1, second!, 'production'],
      [11.2, second!, 'staging']
    ] as const)
      scene.event('again', { ago: (scene.now - day) / HOUR - hours, visitor: 'u1', release, environment })
    scene.event('again', {
      ago: (scene.now - day) / HOUR - 11.3,
      visitor: 'u2',
      release: second!,
      environment: 'staging'
    })
    scene.done()
    const view = { since: day + 10 * HOUR, until: day + 12 * HOUR, range: 'custom' } as const
    const count = async (narrow: { environment?: string; release?: string }) => {
      const { visitors } = await queries.getOverview({ view: { ...view, ...narrow } })
      return [visitors.total, ...visitors.series.points]
    }
    t.same(await count({}), [2, 1, 2])
    t.same(await count({ environment: 'production' }), [1, 1, 1])
    t.same(await count({ environment: 'staging' }), [2, 0, 2])
    t.same(await count({ release: '1.1' }), [2, 1, 2])
  })

  t.test('a point of six hours has no more visitors than its day', async (t) => {
    const { store, queries } = await open(t)
    const scene = new Scene(store)
    const day = Math.floor(scene.now / DAY) * DAY - 3 * DAY
    scene.issue('again')
    for (const [hours, visitor] of [
      [7.5, 'u1'],
      [8.5, 'u1'],
      [9.5, 'u1'],
      [9.6, 'u2'],
      [13.5, 'u1']
    ] as const)
      scene.event('again', { ago: (scene.now - day) / HOUR - hours, visitor })
    scene.done()
    const view = { since: day - 2 * DAY, until: day + DAY, range: 'custom' } as const
    const { visitors } = await queries.getOverview({ view })
    t.same([visitors.total, visitors.series.points.slice(-3)], [2, [2, 1, 0]])
  })

  const { store, queries } = await open(t)
  const scene = new Scene(store)
  const { writer, now } = scene
  writer.project(2, 'Workers', 'b'.repeat(32), now)
  const before = writer.release(1, '1.0.0', now - 100 * HOUR)
  const newest = writer.release(1, '1.1.0', now - 10 * HOUR)
  const other = writer.release(2, 'w1', now - 9 * HOUR)
  for (const name of ['old', 'loud', 'fresh', 'back', 'done', 'worker'])
    scene.issue(name, name === 'worker' ? { project: 2 } : {})
  scene.event('old', { ago: 90, release: before, visitor: 'u1' })
  scene.event('done', { ago: 80, release: before, visitor: 'u1' })
  const at = (ago: number) => new Date(now - ago * HOUR).getUTCDate()
  for (let index = 0; index < 6; index++)
    scene.event('loud', {
      ago: 15,
      release: before,
      visitor: `u${index}`,
      environment: 'staging',
      tags: [['release', '1.0.0']]
    })
  scene.event('back', { ago: 8, release: newest, visitor: 'u1' })
  scene.event('back', { ago: 5, release: newest, visitor: 'u1' })
  scene.event('fresh', { ago: 3, release: newest, visitor: 'u2', tags: [['release', '1.1.0']] })
  scene.event('worker', { ago: 2, release: other })
  const session = { started: now - 4 * HOUR, errors: 0, release: newest, environment: 'production' }
  for (const [sid, status] of [
    ['a', 'exited'],
    ['b', 'crashed'],
    ['c', 'exited'],
    ['d', 'abnormal']
  ] as const)
    writer.session(1, { ...session, sid, status })
  for (let index = 1; index <= 100; index++) {
    const [traceId, start] = [String(index).padStart(32, '0'), (now - 6 * HOUR) * 1000]
    const page = { traceId, at: now - 6 * HOUR, page: `/${index % 3}`, environment: 'production' }
    writer.span(
      1,
      {
        traceId,
        spanId: 'a'.repeat(16),
        isSegment: true,
        side: 'server',
        name: `/${index % 3}`,
        op: 'http.server',
        status: 'ok',
        start,
        duration: index * 1000,
        environment: 'production',
        attributes: {}
      },
      newest
    )
    writer.vital(1, { ...page, name: 'LCP', value: index * 20 }, newest)
    writer.vital(1, { ...page, name: 'INP', value: index }, before)
  }
  scene.done()
  scene.change('back', { state: 'regressed', changed: now })
  scene.change('done', { state: 'resolved', changed: now })

  t.test('the figures of a day are by the hour', async (t) => {
    const overview = await queries.getOverview({ view: scene.view(1) })
    t.equal(overview.isEmpty, false)
    t.equal(overview.errors.total, 10)
    const { start, step, points } = overview.errors.series
    t.same([step, points.length], [HOUR, 24])
    t.ok(start % HOUR === 0 && start + 24 * HOUR >= now && start + 23 * HOUR <= now)
    const pointAt = (ago: number) => points[Math.floor((now - ago * HOUR - start) / HOUR)]
    t.same([pointAt(15), pointAt(5), pointAt(4), pointAt(2)], [6, 1, 0, 1])
    const returned = [at(8), at(5)].filter((date) => date !== at(15))
    t.equal(overview.visitors.total, 6 + new Set(returned).size + Number(at(3) !== at(15)), 'each visitor once a day')
    t.match(overview.crashFree, { share: 0.75, sessions: 4 })
    t.equal(
      overview.crashFree.series.points.filter((point) => point !== null).length,
      1,
      'null for hours without sessions'
    )
    const near = (value: number | undefined, wanted: number) =>
      value !== undefined && Math.abs(value / wanted - 1) < 0.06
    t.ok(near(overview.server.p95, 95) && near(overview.lcp.p75, 1_500) && near(overview.inp.p75, 75))
    t.equal(overview.server.requests, 100)
    t.ok(
      near(
        overview.server.series.points.find((point) => point !== null)!,
        95
      )
    )
    t.same(overview.releases, [
      { version: '1.1.0', at: now - 10 * HOUR },
      { version: 'w1', at: now - 9 * HOUR }
    ])
  })

  t.test('the lists have the new, the regressed and the most frequent issues', async (t) => {
    const { newInRelease, newest, regressed, mostFrequent } = await queries.getOverview({ view: scene.view(1) })
    t.same(scene.namesOf(newInRelease), ['worker', 'fresh'])
    t.same(newest, ['1.1.0', 'w1'], 'the newest release of each project')
    t.same(scene.namesOf(regressed), ['back'])
    t.same(scene.namesOf(mostFrequent), ['loud', 'back', 'worker', 'fresh'])
    t.equal(mostFrequent[0]!.events, 6)
    const whole = await queries.getOverview({ view: scene.view(7) })
    t.same(scene.namesOf(whole.mostFrequent), ['loud', 'back', 'worker', 'fresh', 'old'], 'without resolved issues')
  })

  t.test('environment, release and project limit all figures and lists', async (t) => {
    const staging = await queries.getOverview({ view: { ...scene.view(1), environment: 'staging' } })
    t.match(staging, {
      errors: { total: 6 },
      visitors: { total: 6 },
      crashFree: { sessions: 0 },
      server: { requests: 0, p95: undefined }
    })
    t.same(scene.namesOf(staging.mostFrequent), ['loud'])
    t.same([staging.regressed, staging.newInRelease], [[], []])
    const release = await queries.getOverview({ view: { ...scene.view(1), release: '1.1.0' } })
    t.match(release, { errors: { total: 3 }, server: { requests: 100 }, inp: { p75: undefined } })
    t.same(scene.namesOf(release.mostFrequent), ['fresh'])
    t.equal(release.mostFrequent[0]!.eventsInRange, 1)
    const worker = await queries.getOverview({ view: { ...scene.view(1), project: 2 } })
    t.match(worker, { errors: { total: 1 }, server: { requests: 0 }, releases: [{ version: 'w1' }] })
    t.same(scene.namesOf(worker.mostFrequent), ['worker'])
    t.match(await queries.getOverview({ view: { ...scene.view(1), release: 'none' } }), {
      errors: { total: 0 },
      mostFrequent: []
    })
  })

  t.test('longer ranges have longer steps, and points before the first event are null', async (t) => {
    const week = await queries.getOverview({ view: scene.view(7) })
    t.same([week.errors.series.step, week.errors.series.points.length], [6 * HOUR, 28])
    t.equal(week.errors.total, 12)
    t.equal(week.errors.series.points[0], null)
    t.type(week.errors.series.points.at(-1), 'number')
    const month = await queries.getOverview({ view: scene.view(30) })
    t.same([month.errors.series.step, month.errors.series.points.length], [24 * HOUR, 30])
    t.equal(
      month.errors.series.points.reduce<number>((sum, point) => sum + (point ?? 0), 0),
      12
    )
    const all = await queries.getOverview({ view: { since: 0, until: now } })
    t.ok(all.errors.series.points.length <= 120)
    t.equal(all.errors.total, 12)
  })

  t.test('the choices of the view are the existing releases and environments', async (t) => {
    t.same((await queries.getChoices({})).versions, ['w1', '1.1.0', '1.0.0'])
    t.same((await queries.getChoices({ project: 2 })).versions, ['w1'])
    t.same((await queries.getChoices({})).environments, ['production', 'staging'])
    t.same((await queries.getChoices({ project: 2 })).environments, ['production'])
  })

  t.test('health shows what the inbox recorded about itself', async (t) => {
    writeSetting(store, 'last_received', { server: now })
    writeSetting(store, 'max_bytes', 5_000)
    writeSetting(store, 'retention_days', 30)
    writeSetting(store, 'retention', { at: 3, rows: 4, behind: true })
    const hour = Math.floor(now / HOUR)
    for (const [ago, quantity] of [
      [0, 5],
      [3, 7],
      [50, 100]
    ] as const)
      writeRow(store, 'drop_hour', {
        project: 1,
        hour: hour - ago,
        origin: 'client',
        reason: 'network_error',
        category: 'error',
        quantity
      })
    writeRow(store, 'drop_hour', {
      project: 2,
      hour,
      origin: 'inbox',
      reason: 'invalid',
      category: 'error',
      quantity: 90
    })
    writeRow(store, 'figure_hour', { project: 1, hour, name: 'frames', environment: '', release: 0, quantity: 10 })
    writeRow(store, 'figure_hour', {
      project: 1,
      hour,
      name: 'frames_unresolved',
      environment: '',
      release: 0,
      quantity: 4
    })
    const health = await queries.getHealth({})
    t.match(health, {
      lastReceived: { server: now },
      unresolved: { frames: 4, of: 10 },
      retention: { rows: 4, behind: true }
    })
    t.match(health.storage, { maxBytes: 5_000, retentionDays: 30, events: 12, spans: 100 })
    t.ok(health.storage.bytes > 10_000)
    t.ok(health.storage.oldest! < now - 80 * HOUR)
    t.same(health.drops, [
      { origin: 'inbox', reason: 'invalid', category: 'error', quantity: 90 },
      { origin: 'client', reason: 'network_error', category: 'error', quantity: 12 }
    ])
    t.equal((await queries.getHealth({ project: 1 })).drops.length, 1)
  })
}
