import t from 'tap'
import { createDualSink } from '../../src/delivery/dual-sink.ts'
import type { Tunnel } from '../../src/delivery/tunnel.ts'
import type { EnvelopeMeta } from '../../src/delivery/envelope-sink.ts'
import { createSample } from '@hull/test-helpers/tunnel.ts'

const DSN = 'https://key@provider.example/1'

/** Creates a receiver that stores envelopes with `commit`. */
const createReceiver = (commit: (meta: EnvelopeMeta) => Promise<void>) => ({
  sink: {
    begin: () => ({ write: () => undefined, commit, abort() {} }),
    rateLimits: () => undefined
  } as unknown as Tunnel,
  target: { dsn: DSN, provider: DSN }
})

const onDisk = async () => {}
const inMemory = async (meta: EnvelopeMeta) => {
  meta.isInMemory = true
}
const failing = () => Promise.reject(new Error('full'))

t.test('an envelope is marked as in memory only if neither receiver has it on disk', async (t) => {
  for (const [inbox, provider, expected] of [
    [onDisk, onDisk, undefined],
    [inMemory, onDisk, undefined],
    [inMemory, failing, true],
    [onDisk, failing, undefined]
  ] as const) {
    const sink = createDualSink({
      inbox: createReceiver(inbox),
      provider: createReceiver(provider),
      onMissed: (_missing, error) => t.match(error, { message: 'full' })
    })
    const { meta, body } = createSample(DSN)
    const writer = sink.begin(DSN)
    await writer.write(body)
    await writer.commit(meta)
    t.equal(meta.isInMemory, expected)
  }
})
