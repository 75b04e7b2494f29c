import type { SpoolStore, Lane } from './spool-store.ts'
import { rowKey, type EnvelopeRow } from './spool-tables.ts'
import type { Discarded } from './drops.ts'
import type { Question, TakeAnswer, TakeQuestion } from './spool-messages.ts'

/** Maximum bytes of bodies in one answer. Other bodies are read row by row. */
const MAX_INCLUDED_BYTES = 1024 ** 2

/**
 * At least one in this many envelopes was set aside before, if any is due, so that a steady stream of new ones does not
 * starve them.
 */
const SET_ASIDE_SHARE = 8

/** Later than any due time. */
const EVER = Number.MAX_SAFE_INTEGER

/** Answers a question of the main thread. */
export function answer(store: SpoolStore, question: Question): unknown {
  switch (question.ask) {
    case 'take':
      return take(store, question)
    case 'row':
      return readRow(store, question.id, question.seq)
    case 'drops':
      return store.tables.drops.all(question.dsn) as unknown as Discarded[]
  }
}

/** Returns the next envelopes for a provider: highest rank first, then oldest first. */
function take(store: SpoolStore, { dsn, blocked, count, now, exclude, evenEarly }: TakeQuestion): TakeAnswer {
  if (blocked === 'all') return { envelopes: [] }
  const lanes = [...store.lanes.values()]
    .filter((lane) => lane.dsn === dsn && lane.count > 0 && !lane.categories.some((name) => blocked.includes(name)))
    .sort((a, b) => b.rank - a.rank)
  const skipped = new Set(exclude)
  const taken: Array<{ row: EnvelopeRow; lane: Lane }> = []

  function collect(upTo: number, rowsOf: (lane: Lane) => Iterable<unknown>) {
    for (const lane of lanes) {
      if (taken.length >= upTo) return
      for (const row of rowsOf(lane) as Iterable<EnvelopeRow>) {
        if (skipped.has(row.id)) continue
        skipped.add(row.id)
        taken.push({ row, lane })
        if (taken.length >= upTo) break
      }
    }
  }
  const fresh = ({ id }: Lane) => store.tables.fresh.iterate(id)
  const setAside = ({ id }: Lane) => store.tables.setAside.iterate(id, evenEarly ? EVER : now)
  if (!evenEarly) collect(Math.floor(count / SET_ASIDE_SHARE), setAside)
  collect(count, fresh)
  collect(count, setAside)

  const dues = lanes.flatMap(({ id }) => (store.tables.nextDue.get(id, now) as { due: number | null }).due ?? [])
  return { envelopes: withBodies(store, taken), ...(dues.length > 0 && { nextDue: Math.min(...dues) }) }
}

function withBodies(store: SpoolStore, taken: Array<{ row: EnvelopeRow; lane: Lane }>): TakeAnswer['envelopes'] {
  let includedBytes = 0
  return taken.map(({ row: { id, attempts, size, rows, meta }, lane: { lane } }) => {
    const stored = { id, lane, attempts, size, rows, meta }
    if (rows !== 1 || includedBytes + size > MAX_INCLUDED_BYTES) return stored
    includedBytes += size
    return { ...stored, bytes: readRow(store, id, 0) }
  })
}

function readRow(store: SpoolStore, id: number, seq: number): Uint8Array<ArrayBuffer> | undefined {
  return (store.tables.row.get(rowKey(id, seq)) as { bytes: Uint8Array<ArrayBuffer> } | undefined)?.bytes
}
