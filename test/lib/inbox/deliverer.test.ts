import t from 'tap'
import { InboxUnavailable } from '../../../lib/errors.ts'
import { createInboxDeliverer, type Ingest } from '../../../lib/inbox/deliverer.ts'
import { ThreadEnded } from '../../../lib/inbox/thread.ts'

const { signal } = new AbortController()
const meta = { dsn: 'd', header: {}, receivedAt: 0, counts: {} }

/** As the spool gives it: bytes at hand. @param byte tells envelopes apart */
const envelope = (id: number, byte = 0, size = 100) => {
  const bytes = new Uint8Array(size).fill(byte)
  return { id, attempts: 0, meta, size, bytes, async *body() {} }
}

const ended = () => new InboxUnavailable({ cause: new ThreadEnded() })

t.test('envelopes', async (t) => {
  t.test('go together, two batches at a time, and no more than a commit should hold', async (t) => {
    const sizes: number[] = []
    let running = 0
    let most = 0
    const deliverer = createInboxDeliverer(async (envelopes) => {
      sizes.push(envelopes.length)
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 5))
      running--
      return envelopes.map(() => 'stored')
    })
    await Promise.all(Array.from({ length: 1_000 }, (_, id) => deliverer.deliver(envelope(id + 1), signal)))
    t.equal(most, 2)
    t.same(sizes, [256, 256, 256, 232])
    sizes.length = 0
    await Promise.all([1, 2, 3].map((id) => deliverer.deliver(envelope(id, 0, 3 * 1024 ** 2), signal)))
    t.same(sizes, [1, 1, 1], 'large ones alone')
  })

  t.test('are told one by one what became of them', async (t) => {
    const deliverer = createInboxDeliverer(async (envelopes) =>
      envelopes.map(({ body }) => (body[0] === 1 ? 'refused' : 'stored'))
    )
    const results = await Promise.allSettled([0, 1, 0].map((byte, id) => deliverer.deliver(envelope(id, byte), signal)))
    t.same(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled']
    )
    t.match(results[1], { reason: { outcome: 'refused' } })
  })

  t.test('are not sent once the courier has closed', async (t) => {
    const deliverer = createInboxDeliverer(async () => {
      throw new Error('nobody asked')
    })
    await t.rejects(deliverer.deliver(envelope(1), AbortSignal.abort()), { name: 'AbortError' })
  })
})

t.test(
  'an envelope that ends the thread each time it comes is found and given up, and all others are stored',
  async (t) => {
    const stored = new Set<number>()
    const ingest: Ingest = async (envelopes) => {
      if (envelopes.some(({ body }) => body[0] === 66)) throw ended()
      for (const { body } of envelopes) stored.add(body[0]!)
      return envelopes.map(() => 'stored')
    }
    const deliverer = createInboxDeliverer(ingest)
    // What fails is set aside by the spool, and comes again.
    let waiting = Array.from({ length: 50 }, (_, index) => index + 40)
    let refused: number[] = []
    let rounds = 0
    while (waiting.length > 0 && rounds++ < 10) {
      const results = await Promise.allSettled(waiting.map((byte) => deliverer.deliver(envelope(byte, byte), signal)))
      const outcomes = results.map((result) => (result.status === 'rejected' ? result.reason.outcome : 'stored'))
      refused = [...refused, ...waiting.filter((_, index) => outcomes[index] === 'refused')]
      waiting = waiting.filter((_, index) => outcomes[index] === 'failed')
    }
    t.same(refused, [66])
    t.equal(stored.size, 49)
    t.equal(rounds, 3)
  }
)

t.test('an inbox that is not there gives up nothing', async (t) => {
  const deliverer = createInboxDeliverer(async () => {
    throw new InboxUnavailable()
  })
  for (let round = 0; round < 10; round++)
    await t.rejects(deliverer.deliver(envelope(1), signal), /the inbox is not available/)
})
