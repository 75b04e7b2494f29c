import t from 'tap'
import { pack, SHARED, unpack } from '../../src/spool/batch-codec.ts'
import type { PutOperation, SpoolOperation } from '../../src/spool/spool-messages.ts'

function createPut(ticket: number, size: number, changes: Partial<PutOperation> = {}): PutOperation {
  const bytes = new Uint8Array(size).fill(ticket)
  return {
    op: 'put',
    ticket,
    id: 1e12 + ticket,
    dsn: 'a',
    lane: 'error',
    receivedAt: 5,
    meta: `{${ticket}}`,
    size,
    rows: 1,
    bytes,
    ...changes
  }
}

/** Packs operations, and transfers them as a worker would receive them. */
const send = (operations: SpoolOperation[]) => {
  const { packed, owned } = pack(operations)
  return { ...structuredClone(packed, { transfer: owned }), owned }
}

t.test('operations', async (t) => {
  t.test('are unchanged after packing and unpacking, with small envelopes first', async (t) => {
    const small = [
      createPut(1, 2_600),
      createPut(2, 1, { dsn: 'b' }),
      createPut(3, SHARED, { lane: 'session' }),
      createPut(4, 7)
    ]
    const others: SpoolOperation[] = [
      { op: 'row', id: 9, seq: 0, bytes: new Uint8Array(20_000).fill(9) },
      createPut(5, SHARED + 1),
      { op: 'delivered', id: 3 },
      createPut(6, 30, { bytes: undefined, rows: 2 })
    ]
    const mixed = [others[0]!, small[0]!, small[1]!, others[1]!, others[2]!, small[2]!, small[3]!, others[3]!]
    t.strictSame(unpack(send(mixed)), [...small, ...others])
    t.strictSame(unpack(send(others)), others)
  })

  t.test('copy small bodies to one buffer, and transfer large bodies', async (t) => {
    const large = createPut(1, 100_000)
    const { bytes } = large
    const { owned, puts } = send([createPut(2, 100), large, createPut(3, 50)])
    t.equal(owned.length, 2)
    t.equal(puts?.bytes.byteLength, 150)
    t.equal(bytes!.byteLength, 0)
  })
})
