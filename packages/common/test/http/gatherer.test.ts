import fc from 'fast-check'
import t from 'tap'
import { Gatherer } from '../../src/http/gatherer.ts'
import { inPieces } from '@hull/test-helpers/envelopes.ts'

function gather(bytes: Buffer, sizes: readonly number[]) {
  const taken: Buffer[] = []
  const calls: number[] = []
  const gatherer = new Gatherer((piece) => {
    taken.push(piece)
    return undefined
  })
  for (const piece of inPieces(bytes, sizes)) {
    const before = taken.length
    void gatherer.add(piece)
    calls.push(taken.length - before)
  }
  void gatherer.end()
  return { taken, calls }
}

t.test('passes on the same bytes in the same order, and at most one chunk for each that it receives', async (t) => {
  const size = fc.oneof(
    fc.integer({ min: 1, max: 40 }),
    fc.integer({ min: 900, max: 1_100 }),
    fc.integer({ min: 1, max: 70_000 })
  )
  fc.assert(
    fc.property(fc.array(size, { minLength: 1 }), fc.nat(200_000), (sizes, length) => {
      const bytes = Buffer.from(Array.from({ length }, (_, i) => i % 251))
      const { taken, calls } = gather(bytes, sizes)
      return Buffer.concat(taken).equals(bytes) && calls.every((count) => count <= 1)
    }),
    { numRuns: 200 }
  )
  t.pass()
})

t.test('passes a body that arrives in one chunk on without a copy', async (t) => {
  for (const length of [1, 1_023, 1_024, 60_000]) {
    const bytes = Buffer.alloc(length)
    const { taken } = gather(bytes, [Infinity])
    t.equal(taken.length, 1)
    t.equal(taken[0]!.buffer, bytes.buffer)
  }
  const large = Buffer.alloc(200_000)
  t.ok(gather(large, [65_536]).taken.every(({ buffer }) => buffer === large.buffer))
  t.same(gather(Buffer.alloc(0), [1]).taken, [])
})

t.test('joins many small chunks into few', async (t) => {
  t.equal(gather(Buffer.alloc(160 * 1024), [1]).taken.length, 10)
  t.ok(gather(Buffer.alloc(1_000_000), [1_000, 1, 1_100]).taken.length < 100)
})

t.test('accepts further chunks after `end` has passed the earlier ones on', async (t) => {
  const taken: Buffer[] = []
  const gatherer = new Gatherer((piece) => {
    taken.push(piece)
    return undefined
  })
  for (const part of ['abc', 'de', 'f', 'ghi']) {
    for (const character of part) void gatherer.add(Buffer.from(character))
    void gatherer.end()
  }
  t.same(taken.map(String), ['abc', 'de', 'f', 'ghi'])
})
