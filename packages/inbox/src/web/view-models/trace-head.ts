import { clip } from '@hull/common/visible-text.ts'
import type { TraceView } from '../../queries/traces/trace-types.ts'

/** Maximum releases to name: of the browser and of a few servers. */
const MAX_RELEASES = 4

export interface TraceHead {
  name: string
  /** Milliseconds since the epoch. */
  at: number
  /** Milliseconds. */
  duration: number
  spans: number
  releases: string[]
}

/** Summary of a trace: of its browser part if there is one, since a visitor waited for it. */
export function toTraceHead({ spans, start, duration, errors, omitted }: TraceView): TraceHead {
  const segment = spans.find(({ isSegment }) => isSegment) ?? spans[0]
  return {
    name: clip(segment?.name ?? errors[0]?.type ?? 'Trace', 200),
    at: Math.round(start / 1_000),
    duration: duration / 1_000,
    spans: spans.length + omitted,
    releases: [...new Set(spans.flatMap(({ release }) => release ?? []))].slice(0, MAX_RELEASES)
  }
}
