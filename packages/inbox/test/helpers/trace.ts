import type { Store } from '../../src/store/store.ts'

export const LONG_TRACE = 'f'.repeat(32)

const hex = (number: number) => number.toString(16).padStart(16, '0')

/**
 * Adds a trace with this number of spans: a page load with requests, and the work of the server for each, three levels
 * deep.
 */
export function addLongTrace(store: Store, spans = 1_000, at = Date.now() - 60_000): void {
  const half = spans >> 1
  store.transaction(() => {
    for (let i = 1; i <= spans; i++) {
      const side = i <= half ? 'browser' : 'server'
      const root = side === 'browser' ? 1 : half + 1
      const isSegment = i === root
      const parent = isSegment ? (side === 'server' ? 2 : null) : i % 3 === 0 && i - 1 > root ? i - 1 : root
      store.run(
        `INSERT INTO span (project, trace_id, span_id, parent_id, is_segment, segment_id, side, name, op, status, start,
          duration, received, environment, attributes) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'production', ?)`,
        LONG_TRACE,
        hex(i),
        parent === null ? null : hex(parent),
        Number(isSegment),
        hex(root),
        side,
        isSegment ? '/long' : `step ${i}`,
        isSegment ? (side === 'browser' ? 'pageload' : 'http.server') : 'work',
        i % 97 === 0 ? 'error' : 'ok',
        Math.round((at + (isSegment ? 0 : (i - root) * 2)) * 1_000),
        isSegment ? half * 2_000 : 1_500 + (i % 7) * 3_000,
        at,
        JSON.stringify({ number: i, 'url.path': `/step/${i}`, secretless: 'x'.repeat(200) })
      )
    }
  })
}
