import type { TraceFacts } from './baggage.ts'

/** Traces a second that are recorded because a parent says so. Strangers are parents too. */
export const TRUSTED_PER_SECOND = 10

export interface SamplerOptions {
  /** Share of the traces that begin here, from 0 to 1; undefined where nobody records any. */
  rate: number | undefined
  /** Milliseconds of a clock that only goes forward. @default performance.now */
  now?: () => number
}

export interface Decision {
  /** Undefined leaves it to those that we call: we record nothing. */
  sampled: boolean | undefined
  /** What was drawn for the trace, from 0 up to 1: every service with the same rate decides alike. */
  rand: number
  /** The decision is ours, and no longer what the facts of the trace say. */
  redrawn: boolean
}

/** What a request says of its parent's decision. */
export interface Wish {
  sampled: boolean | undefined
  facts: TraceFacts | undefined
}

/** Decides what is recorded, a trace at a time. */
export function createSampler({ rate, now = () => performance.now() }: SamplerOptions): (wish?: Wish) => Decision {
  const admit = createLimit(TRUSTED_PER_SECOND, 1_000, now)

  return function decide(wish) {
    if (wish === undefined) return draw(false)
    const { sampled, facts } = wish
    const rand = carriedRand(sampled, facts)
    // A "no" costs nobody anything.
    if (sampled === false) return { sampled, rand: rand ?? drawRand(), redrawn: false }
    if (sampled === undefined && rand === undefined) return draw(false)
    // Whoever chooses what was drawn chooses the outcome, as much as by saying "yes".
    const yes = sampled ?? (rate !== undefined && rand! < rate)
    if (yes) return admit() ? { sampled: yes, rand: rand ?? drawRand(), redrawn: false } : draw(true)
    return { sampled: rate === undefined ? undefined : false, rand: rand!, redrawn: false }
  }

  function draw(redrawn: boolean): Decision {
    const rand = drawRand()
    return { sampled: rate === undefined ? undefined : rand < rate, rand, redrawn }
  }
}

/** Six digits, as the protocol has it: more would be lost on the way. */
const SCALE = 1_000_000

const drawRand = (): number => floor(Math.random())
const floor = (share: number): number => Math.floor(share * SCALE) / SCALE

/** What was drawn, in its six digits. By way of an integer: a fraction takes ten times as long to write. */
export const formatRand = (rand: number): string => `0.${String(SCALE + Math.round(rand * SCALE)).slice(1)}`

/** What was drawn at the head of the trace, or a number that agrees with what was decided there. */
function carriedRand(sampled: boolean | undefined, facts: TraceFacts | undefined): number | undefined {
  const rand = toShare(facts?.sample_rand)
  if (rand !== undefined && rand < 1) return rand
  const rate = toShare(facts?.sample_rate)
  if (!rate || sampled === undefined) return undefined
  return floor(sampled ? Math.random() * rate : rate + Math.random() * (1 - rate))
}

function toShare(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d*\.?\d+(e-\d+)?$/i.test(text)) return undefined
  const share = Number(text)
  return share <= 1 ? share : undefined
}

/** Answers true at most `times` within any `span` milliseconds. */
function createLimit(times: number, span: number, now: () => number): () => boolean {
  const admitted: number[] = Array.from({ length: times }, () => -Infinity)
  let oldest = 0
  return function admit() {
    const time = now()
    if (time - admitted[oldest]! < span) return false
    admitted[oldest] = time
    oldest = (oldest + 1) % times
    return true
  }
}
