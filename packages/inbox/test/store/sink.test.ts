import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { InboxUnavailable } from '../../src/errors.ts'
import { readLargeBody } from '../../src/store/large-body.ts'
import type { IngestRequest } from '../../src/store/messages.ts'
import { openInbox } from '../../src/store/open.ts'
import { createInboxSink, MAX_QUEUED, ThreadEnded, type InboxSinkOptions } from '../../src/store/sink.ts'
import { terminateThreads } from '../../../common/src/threads.ts'
import { openTunnel } from '../../../monitoring/src/delivery/tunnel.ts'
import { openOldSpool } from '../../../monitoring/src/delivery/old-spool.ts'
import { toDeliverer } from '../../src/receiver.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { select } from '../helpers/inbox-file.ts'
import { createEnvelope, createRawEvent, openWriter } from '../helpers/writer.ts'
import { until } from '@hull/test-helpers/tunnel.ts'

const DSN = 'https://inbox@inbox.invalid/0'
const meta = { dsn: DSN, header: {}, receivedAt: 0, counts: {} }
const log = { info() {}, warn() {}, error() {} }

/** @param byte content of the body, so that envelopes differ */
const envelope = (byte = 0, size = 100) => ({ meta, body: new Uint8Array(size).fill(byte) })

const createSink = (t: Test, ingest: InboxSinkOptions['ingest']) => createInboxSink({ folder: createFolder(t), ingest })

async function open(t: Test, folder = createFolder(t)) {
  const inbox = await openInbox({
    file: join(folder, 'inbox.db'),
    maxBytes: 2 ** 30,
    retentionDays: 30,
    release: '1.0.0',
    log
  })
  t.teardown(() => inbox.close())
  return { inbox, folder }
}

/** Creates an envelope whose item has no id. */
const createLog = () => createEnvelope([['log', { items: [{ body: 'paid', level: 'info' }] }]])

const countLogs = (folder: string) => select(join(folder, 'inbox.db'), 'SELECT count(*) AS logs FROM log')[0]!['logs']

const createError = () => {
  const { meta, body } = createEnvelope([['event', createRawEvent()]])
  return { meta: { ...meta, dsn: DSN, counts: { error: 1 } }, body }
}

t.test('envelopes', async (t) => {
  t.test('are stored in batches, one at a time, of limited number and size', async (t) => {
    const sizes: number[] = []
    let running = 0
    let most = 0
    const sink = createSink(t, async ({ metas }) => {
      sizes.push(metas.length)
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 5))
      running--
      return metas.map(() => 'stored')
    })
    await Promise.all(Array.from({ length: 1_000 }, () => sink.accept(envelope())))
    t.equal(most, 1)
    t.same(sizes, [256, 256, 256, 232])
    sizes.length = 0
    await Promise.all([1, 2, 3].map(() => sink.accept(envelope(0, 3 * 1024 ** 2))))
    t.same(sizes, [1, 1, 1], 'a large envelope is a batch')
    t.same(sink.waiting, { envelopes: 0, bytes: 0 })
  })

  t.test('are accepted or refused one by one', async (t) => {
    const sink = createSink(t, async ({ bytes, sizes }) =>
      sizes.map((size, index) => (bytes[size * index] === 1 ? 'refused' : 'stored'))
    )
    const results = await Promise.allSettled([0, 1, 0].map((byte) => sink.accept(envelope(byte))))
    t.match(results, [
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'APP_INBOX_KEY_UNKNOWN', statusCode: 403 } },
      { status: 'fulfilled' }
    ])
  })

  t.test('are refused while the inbox is unavailable, and accepted when it is available again', async (t) => {
    let isBack = false
    const sink = createSink(t, async ({ metas }) => {
      if (!isBack) throw new InboxUnavailable()
      return metas.map(() => 'stored')
    })
    await t.rejects(sink.accept(envelope()), { code: 'APP_MONITORING_SPOOL_UNAVAILABLE' })
    isBack = true
    await sink.accept(envelope())
  })

  t.test('are refused when the queue is full, and clients receive rate limits before', async (t) => {
    let finish = () => {}
    const finished = new Promise<void>((resolve) => (finish = resolve))
    const sink = createSink(t, async ({ metas }) => {
      await finished
      return metas.map(() => 'stored')
    })
    t.match(sink.rateLimits(DSN), /^3600:[a-z_;]+:organization$/, 'only categories that the inbox never stores')
    const size = 4 * 1024 ** 2
    const accepted = Array.from({ length: Math.floor(MAX_QUEUED / (size + 1_024)) }, () =>
      sink.accept(envelope(0, size))
    )
    t.match(sink.rateLimits(DSN), /30:[a-z_;]*transaction/)
    await t.rejects(sink.accept(envelope(0, size)), { code: 'APP_MONITORING_SPOOL_UNAVAILABLE' })
    finish()
    await Promise.all(accepted)
    await sink.accept(envelope())
  })

  t.test('in the queue are stored before the sink is closed, and later ones are refused', async (t) => {
    let stored = 0
    const sink = createSink(t, async ({ metas }) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      stored += metas.length
      return metas.map(() => 'stored')
    })
    const accepted = Array.from({ length: 600 }, () => sink.accept(envelope()))
    await sink.close()
    t.equal(stored, 600)
    await Promise.all(accepted)
    await t.rejects(sink.accept(envelope()), { code: 'APP_MONITORING_SPOOL_UNAVAILABLE' })
  })
})

t.test('a large body is in a file until it is stored, and the file is removed', async (t) => {
  const { inbox, folder } = await open(t)
  const { meta, body } = createEnvelope([
    ['event', createRawEvent()],
    ['unknown', Buffer.alloc(5 * 1024 ** 2, 'x')]
  ])
  for (const isWhole of [true, false]) {
    const writer = inbox.sink.begin(DSN)
    for (let at = 0; at < body.length; at += 64 * 1024) await writer.write(body.subarray(at, at + 64 * 1024))
    t.notOk(
      readdirSync(folder).some((name) => name.includes('body')),
      'the file has no name'
    )
    if (isWhole) await writer.commit({ ...meta, dsn: DSN })
    else writer.abort()
  }
  t.match(inbox.stats().stored, { event: 1, unknown: 1 })
})

t.test('large bodies that do not end prevent further large ones, but no small ones', async (t) => {
  const sink = createSink(t, async ({ metas }) => metas.map(() => 'stored'))
  const mebibyte = new Uint8Array(1024 ** 2)
  const slow = Array.from({ length: 257 }, () => sink.begin(DSN))
  for (const writer of slow) await writer.write(mebibyte)
  const large = sink.begin(DSN)
  t.throws(() => large.write(mebibyte), { code: 'APP_MONITORING_SPOOL_UNAVAILABLE' })
  large.abort()
  const small = sink.begin(DSN)
  await small.write(new Uint8Array(1_000))
  await small.commit({ ...meta })
  for (const writer of slow) writer.abort()
})

t.test('a large body is never read from another file that has the same file descriptor', async (t) => {
  const requests: IngestRequest[] = []
  const read: number[] = []
  // Simulates a busy thread, which reads the first request only after the second.
  const sink = createSink(t, async (request) => {
    requests.push(request)
    if (requests.length === 1) throw new InboxUnavailable()
    for (const { large } of requests.toReversed()) read.push(readLargeBody(large!)[0]!)
    return ['stored']
  })
  const send = async (byte: number) => {
    const writer = sink.begin(DSN)
    await writer.write(new Uint8Array(512 * 1024).fill(byte))
    await writer.commit({ ...meta })
  }
  await t.rejects(send(1), { code: 'APP_MONITORING_SPOOL_UNAVAILABLE' })
  // Times of creation have the resolution of the clock of the kernel, a few milliseconds.
  await new Promise((resolve) => setTimeout(resolve, 50))
  await t.rejects(send(2), { cause: { message: /is closed/ } })
  t.equal(requests[0]?.large?.fd, requests[1]?.large?.fd, 'this test needs the same file descriptor')
  t.same(read, [2], 'the later request has its own file')
  t.throws(() => readLargeBody(requests[0]!.large!), 'the file is closed')
})

t.test('when the thread exits before it has answered', async (t) => {
  t.test('the next thread stores the envelopes, each once', async (t) => {
    const { inbox, folder } = await open(t)
    const accepted = Array.from({ length: 1_000 }, () => inbox.sink.accept(createLog()))
    await accepted[0]
    await terminateThreads()
    await until(() => inbox.stats().waiting.envelopes === 0)
    await Promise.all(accepted)
    t.equal(countLogs(folder), 1_000)
  })

  t.test('a committed batch is not stored twice', async (t) => {
    const { writer, count } = openWriter(t)
    let attempts = 0
    const sink = createSink(t, async ({ key, metas, bytes }) => {
      const outcomes = writer.ingest([{ meta: metas[0]!, body: bytes }], key)
      if (++attempts === 1) throw new InboxUnavailable({ cause: new ThreadEnded() })
      return outcomes
    })
    await sink.accept(createLog())
    t.same([attempts, count('log')], [2, 1])
    await sink.accept(createLog())
    t.equal(count('log'), 2, 'another batch is stored')
  })

  t.test('a batch that also ends the second thread is refused', async (t) => {
    let attempts = 0
    const sink = createSink(t, async () => {
      attempts++
      throw new InboxUnavailable({ cause: new ThreadEnded() })
    })
    await t.rejects(sink.accept(envelope()), { code: 'APP_MONITORING_SPOOL_UNAVAILABLE' })
    t.equal(attempts, 2)
  })

  t.test('envelopes are answered even if the inbox is closed before the next thread starts', async (t) => {
    const { inbox, folder } = await open(t)
    const answers = Promise.allSettled(Array.from({ length: 10 }, () => inbox.sink.accept(createLog())))
    await terminateThreads()
    await inbox.close()
    const stored = (await answers).filter(({ status }) => status === 'fulfilled')
    t.equal(countLogs(folder), stored.length)
  })
})

t.test('a spool of an earlier version is delivered once, and its files are removed', async (t) => {
  const folder = createFolder(t)
  const options = { file: join(folder, 'spool.db'), maxBytes: 2 ** 26, maxAge: 86_400_000, log }
  const other = 'https://key@elsewhere.invalid/2'
  const old = openTunnel({ ...options, providers: [] })
  for (let count = 0; count < 30; count++) await old.accept(createError())
  await old.close()

  const { inbox } = await open(t, folder)
  const provider = { dsn: DSN, deliverer: toDeliverer(inbox.sink) }
  t.ok(openOldSpool({ ...options, provider }))
  await until(() => !readdirSync(folder).some((name) => name.startsWith('spool')))
  t.match(inbox.stats().stored, { event: 30 })
  t.equal(openOldSpool({ ...options, provider }), undefined)

  const kept = openTunnel({ ...options, providers: [] })
  await kept.accept({ ...createError(), meta: { ...meta, dsn: other, receivedAt: Date.now() } })
  await kept.accept(createError())
  await kept.close()
  const spool = openOldSpool({ ...options, provider })!
  await until(() => inbox.stats().stored['event'] === 31)
  await spool.close()
  t.ok(readdirSync(folder).includes('spool.db'), 'the file is kept for an envelope to another provider')
})

t.test('a spool that is not read yet does not count as delivered', async (t) => {
  const folder = createFolder(t)
  const options = { file: join(folder, 'spool.db'), maxBytes: 2 ** 26, maxAge: 86_400_000, log, providers: [] }
  const before = openTunnel(options)
  await before.accept(createError())
  await before.close()
  const after = openTunnel(options)
  t.teardown(() => after.close())
  t.equal(await after.flush(0), false)
})
