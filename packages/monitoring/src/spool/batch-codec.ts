import type { Packed, PackedPuts, PutOperation, SpoolOperation } from './spool-messages.ts'

/** Maximum bytes of a body that shares a buffer with others on its way to the worker. Most events are smaller. */
export const SHARED = 16 * 1024

/** Minimum bytes of a body that is transferred to the worker instead of copied. */
const HANDED_OVER = 64 * 1024

type SmallPut = PutOperation & { bytes: Uint8Array }

const isSmall = (operation: SpoolOperation): operation is SmallPut =>
  operation.op === 'put' && operation.bytes !== undefined && operation.bytes.byteLength <= SHARED

/**
 * Packs small envelopes into columns, and their bodies into one buffer, because the cost of a message depends on its
 * objects, property names and buffers, not on its bytes. Small envelopes keep their order and precede all other
 * operations.
 * @returns message to send, and buffers to transfer to the worker
 */
export function pack(operations: readonly SpoolOperation[]): { packed: Packed; owned: ArrayBuffer[] } {
  const small: SmallPut[] = []
  const others: Packed['others'] = []
  const owned: ArrayBuffer[] = []
  for (const operation of operations) {
    if (isSmall(operation)) {
      small.push(operation)
      continue
    }
    others.push(operation)
    if ('bytes' in operation && operation.bytes !== undefined && operation.bytes.byteLength >= HANDED_OVER)
      owned.push(operation.bytes.buffer)
  }
  if (small.length === 0) return { packed: { others }, owned }
  const puts = packPuts(small)
  return { packed: { puts, others }, owned: [...owned, puts.bytes.buffer] }
}

function packPuts(small: readonly SmallPut[]): PackedPuts {
  const bytes = new Uint8Array(small.reduce((sum, { bytes: { byteLength } }) => sum + byteLength, 0))
  const kinds: PackedPuts['kinds'] = []
  const puts: PackedPuts = { kinds, kind: [], ticket: [], id: [], receivedAt: [], size: [], meta: [], bytes }
  let at = 0
  for (const { dsn, lane, ticket, id, receivedAt, size, meta, bytes: body } of small) {
    let kind = kinds.findIndex((known) => known.lane === lane && known.dsn === dsn)
    if (kind === -1) kind = kinds.push({ dsn, lane }) - 1
    puts.kind.push(kind)
    puts.ticket.push(ticket)
    puts.id.push(id)
    puts.receivedAt.push(receivedAt)
    puts.size.push(size)
    puts.meta.push(meta)
    bytes.set(body, at)
    at += size
  }
  return puts
}

/** Returns the operations of a packed message. */
export const unpack = ({ puts, others }: Packed): SpoolOperation[] =>
  puts === undefined ? others : [...unpackPuts(puts), ...others]

function unpackPuts({ kinds, kind, ticket, id, receivedAt, size, meta, bytes }: PackedPuts): PutOperation[] {
  let at = 0
  return ticket.map((own, index) => {
    const { dsn, lane } = kinds[kind[index]!]!
    const length = size[index]!
    const body = bytes.subarray(at, (at += length))
    return {
      op: 'put',
      ticket: own,
      id: id[index]!,
      dsn,
      lane,
      receivedAt: receivedAt[index]!,
      meta: meta[index]!,
      size: length,
      rows: 1,
      bytes: body
    }
  })
}
