import type { Test } from 'tap'
import { HOUR } from '@hull/common/time.ts'
import { writeRow } from '../../../src/store/rows.ts'
import { Scene, type OpenStore } from './scene.ts'

/** Tests queries for one issue, its events and its tags, and the lookup of ids. */
export async function testIssue(t: Test, open: OpenStore): Promise<void> {
  const { store, queries } = await open(t)
  const scene = new Scene(store)
  const { now } = scene
  scene.writer.project(2, 'Workers', 'b'.repeat(32), now)
  const release = scene.writer.release(1, '1.4.0', now - 30 * HOUR)
  const cart = scene.issue('cart')
  scene.issue('other', { project: 2 })
  const trace = 'c'.repeat(32)
  const given = { release, url: 'https://shop.example/cart', visitor: 'u7', browser: 'Chrome 142' }
  const oldest = scene.event('cart', { ago: 40, ...given, detail: { level: 'error', message: 'oldest' } })
  const middle = scene.event('cart', {
    ago: 20,
    ...given,
    digest: '0AB1CD2EF3GH',
    detail: { level: 'error', message: 'middle' }
  })
  const newest = scene.event('cart', { ago: 2, release, traceId: trace, spanId: 'd'.repeat(16) })
  const foreign = scene.event('other', { ago: 1 })
  scene.done()

  t.test('a comment is listed exactly as it was written', async (t) => {
    const text = String.raw`The log has "\ud83d\ude00" and C:\u0000, and 😀`
    writeRow(store, 'activity', { issue: cart, at: now, kind: 'commented', data: JSON.stringify({ text }) })
    t.match(await queries.listComments({ id: cart }), { comments: [{ text }] })
    store.run('DELETE FROM activity')
  })

  t.test('an event whose details are damaged is shown without its details', async (t) => {
    const payload = 'UPDATE event_payload SET body = ? WHERE event = (SELECT id FROM event WHERE event_id = ?)'
    const before = store.get<{ body: Uint8Array }>(
      'SELECT body FROM event_payload WHERE event = (SELECT id FROM event WHERE event_id = ?)',
      middle
    )!
    store.run(payload, new Uint8Array([1, 2, 3]), middle)
    const found = await queries.findEvent({ id: cart })
    t.match(found, { row: { eventId: middle } })
    t.equal(found!.detail, undefined)
    store.run(payload, before.body, middle)
  })

  t.test('an issue has its keys and its activity', async (t) => {
    writeRow(store, 'person', { id: 3, name: 'Ada', role: 'admin', created: now })
    writeRow(store, 'activity', { issue: cart, at: now - 3, kind: 'created' })
    writeRow(store, 'activity', {
      issue: cart,
      at: now - 2,
      who: 9,
      kind: 'ignored',
      data: '{"until":5}',
      before: '{}'
    })
    writeRow(store, 'activity', { issue: cart, at: now - 1, who: 3, kind: 'resolved', before: '{}' })
    writeRow(store, 'issue_key', {
      project: 1,
      key: 'e'.repeat(64),
      issue: cart,
      algorithm: 2,
      why: '{"by":"message","parts":["x"]}',
      created: 5,
      merged_from: 77
    })
    scene.change('cart', {
      state: 'resolved',
      resolved_release: release,
      resolved_in_next: 1,
      in_old_release: 4,
      ignored_until: 6,
      ignored_until_events: 8
    })
    const issue = await queries.getIssue({ id: cart })
    t.match(issue, {
      id: cart,
      type: 'TypeError',
      value: 'cart',
      state: 'resolved',
      isNew: false,
      events: 3,
      visitors: 1
    })
    t.match(issue, {
      resolvedRelease: '1.4.0',
      resolvedInNext: true,
      inOldRelease: 4,
      ignoredUntil: 6,
      ignoredUntilEvents: 8
    })
    t.match(issue.keys, [
      { why: { by: 'frames', parts: ['cart'] }, algorithm: 1 },
      { key: 'e'.repeat(64), why: { by: 'message', parts: ['x'] }, algorithm: 2, created: 5, mergedFrom: 77 }
    ])
    t.match(issue.activity, [
      { kind: 'resolved', who: 'Ada', at: now - 1, canUndo: true },
      { kind: 'ignored', who: 'somebody who was removed', data: { until: 5 }, canUndo: false },
      { kind: 'created', who: undefined, canUndo: false }
    ])
    writeRow(store, 'activity', { issue: cart, at: now, kind: 'regressed' })
    const [regressed] = (await queries.getIssue({ id: cart })).activity
    t.match(regressed, { kind: 'regressed', canUndo: false }, 'no person did that')
    t.equal(await queries.findMerged({ id: 77 }), cart)
    t.equal(await queries.findMerged({ id: cart }), undefined)
    await t.rejects(queries.getIssue({ id: 999 }), { code: 'APP_INBOX_ISSUE_NOT_FOUND', statusCode: 404 })
  })

  t.test('the series of an issue counts its events per step, and has the releases of the range', async (t) => {
    const { series, releases } = await queries.getIssueSeries({ id: cart, view: scene.view(2) })
    t.equal(series.step, HOUR)
    t.equal(series.points.length, 48)
    const at = (ago: number) => series.points[Math.floor((now - ago * HOUR - series.start) / HOUR)]
    t.same([at(40), at(20), at(2), at(10)], [1, 1, 1, 0])
    t.same(releases, [{ version: '1.4.0', at: now - 30 * HOUR }])
    const week = await queries.getIssueSeries({ id: cart, view: scene.view(7) })
    t.same([week.series.step, week.series.points.length], [6 * HOUR, 28])
    t.equal(
      week.series.points.reduce<number>((sum, point) => sum + (point ?? 0), 0),
      3
    )
    await t.rejects(queries.getIssueSeries({ id: 999, view: scene.view() }), { code: 'APP_INBOX_ISSUE_NOT_FOUND' })
  })

  t.test('tags have shares, and the well-known tags come first', async (t) => {
    const id = scene.issue('tagged')
    const values = {
      zebra: [
        ['a', 6],
        ['b', 3],
        ['', 1]
      ],
      url: [['/x', 1]],
      release: [['1.4.0', 2]]
    } as const
    for (const [name, all] of Object.entries(values))
      for (const [value, events] of all) writeRow(store, 'issue_tag', { issue: id, name, value, events, last_seen: 1 })
    const tags = await queries.listTags({ id })
    t.same(
      tags.map(({ name }) => name),
      ['release', 'url', 'zebra']
    )
    t.same(tags[2], {
      name: 'zebra',
      values: [
        { value: 'a', events: 6, share: 0.6 },
        { value: 'b', events: 3, share: 0.3 }
      ],
      others: 1
    })
    t.match((await queries.listTags({ id, values: 1 }))[2], { values: [{ value: 'a' }], others: 4 })
    t.same(await queries.listTags({ id: 999 }), [])
  })

  t.test('events of an issue are listed in pages, newest first', async (t) => {
    const first = await queries.listEvents({ id: cart, limit: 2 })
    t.same(
      first.events.map(({ eventId }) => eventId),
      [newest, middle]
    )
    t.match(first.events, [
      { hasPayload: false, traceId: trace },
      { hasPayload: true, release: '1.4.0', visitor: 'u7' }
    ])
    const second = await queries.listEvents({ id: cart, limit: 2, cursor: first.next! })
    t.match(second, {
      events: [{ eventId: oldest, url: 'https://shop.example/cart', browser: 'Chrome 142' }],
      next: undefined
    })
    await t.rejects(queries.listEvents({ id: cart, cursor: 'x' }), { code: 'APP_INBOX_CURSOR_INVALID' })
  })

  t.test('an event has the ids of the next older and newer events, and the reason for its grouping', async (t) => {
    const kept = await queries.getEvent({ id: cart })
    t.match(kept, { row: { eventId: middle }, detail: { message: 'middle' }, older: oldest, newer: newest })
    t.same(kept.why, { by: 'frames', parts: ['cart'] })
    const bare = await queries.getEvent({ id: cart, eventId: newest.toUpperCase() })
    t.match(bare, { row: { eventId: newest, hasPayload: false }, detail: undefined, older: middle, newer: undefined })
    const dashed = middle.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    t.match(await queries.getEvent({ id: cart, eventId: dashed }), { row: { eventId: middle } })
    const other = await queries.getEvent({ id: scene.issues.get('other')! })
    t.match(other, { row: { eventId: foreign }, detail: undefined }, 'the newest event, if no event has details')
    for (const input of [{ id: 999 }, { id: cart, eventId: foreign }, { id: cart, eventId: 'nonsense' }])
      await t.rejects(queries.getEvent(input), { code: 'APP_INBOX_EVENT_NOT_FOUND', statusCode: 404 })
  })

  t.test('an event has its attachments and its feedback', async (t) => {
    const file = { project: 1, event_id: middle, received: now, content_type: 'text/plain' }
    writeRow(store, 'attachment', { ...file, id: 5, filename: 'log.txt', size: 2, body: Buffer.from('ok') })
    writeRow(store, 'attachment', { ...file, id: 6, filename: 'video.mp4', size: 9_999, content_type: null })
    writeRow(store, 'attachment', {
      ...file,
      id: 7,
      project: 2,
      filename: 'foreign.txt',
      size: 2,
      body: Buffer.from('no')
    })
    writeRow(store, 'feedback', {
      project: 1,
      event_id: 'f'.repeat(32),
      about: middle,
      at: 3,
      received: 3,
      name: 'Ines',
      message: 'it broke'
    })
    const { attachments, feedback } = await queries.getEvent({ id: cart, eventId: middle })
    t.same(attachments, [
      { id: 5, filename: 'log.txt', contentType: 'text/plain', size: 2, kept: true },
      { id: 6, filename: 'video.mp4', size: 9_999, kept: false }
    ])
    t.same(feedback, [{ name: 'Ines', message: 'it broke', at: 3, attachments: [] }])
    const attachment = await queries.getAttachment({ id: 5 })
    t.equal(Buffer.from(attachment!.body).toString(), 'ok')
    t.match(attachment, { filename: 'log.txt', contentType: 'text/plain' })
    t.equal(await queries.getAttachment({ id: 6 }), undefined)
    t.equal(await queries.getAttachment({ id: 99 }), undefined)
  })

  t.test('ids of events, traces and issues are found', async (t) => {
    const found = { kind: 'event', issue: cart, eventId: middle }
    const dashed = middle.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    for (const text of [
      middle,
      ` ${middle.toUpperCase()} `,
      dashed,
      '0AB1CD2EF3GH',
      '0ab1-cd2e-f3gh',
      'oabl cd2e f3gh'
    ])
      t.same(await queries.locate({ text }), found, text)
    t.match(await queries.locate({ text: foreign }), { kind: 'event', issue: scene.issues.get('other')! })
    t.same(await queries.locate({ text: trace }), { kind: 'trace', traceId: trace })
    t.same(await queries.locate({ text: `#${cart}` }), { kind: 'issue', issue: cart })
    t.same(await queries.locate({ text: '#77' }), { kind: 'issue', issue: cart }, 'the issue into which it was merged')
    for (const text of ['', '#999', '#1x', '12', 'cart', 'e'.repeat(32), 'x'.repeat(5_000), '0AB1CD2EF3GZ'])
      t.equal(await queries.locate({ text }), undefined, text.slice(0, 40))
  })
}
