import type { TraceFacts } from './baggage.ts'

/** Maximum traces per second that are recorded because the caller wants it. A caller may be anyone. */
export const TRUSTED_PER_SECOND = 10

export interface SamplerOptions {
  /** Share of the traces beginning here that are recorded, from 0 to 1; undefined if this server records none. */
  rate: number | undefined
  /** Milliseconds on a monotonic clock. @default performance.now */
  now?: () => number
}

export interface Decision {
  /** Undefined if this server records nothing; the services that it calls then decide. */
  sampled: boolean | undefined
  /** Random number of the trace, from 0 up to 1. Services with the same rate make the same decision. */
  rand: number
  /** This server has replaced the decision in the facts of the trace. */
  replaced: boolean
}

/** Decision of the caller, and facts of the trace. */
export interface ParentDecision {
  sampled: boolean | undefined
  facts: TraceFacts | undefined
}

/** Creates a function that decides for each trace whether it is recorded. */
export function createSampler({
  rate,
  now = () => performance.now()
}: SamplerOptions): (parentDecision?: ParentDecision) => Decision {
  const admit = createLimit(TRUSTED_PER_SECOND, 1_000, now)

  return function decide(parentDecision) {
    if (parentDecision === undefined) return draw(false)
    const { sampled, facts } = parentDecision
    const rand = incomingRand(sampled, facts)
    // Not recording costs nothing, so a "no" always applies.
    if (sampled === false) return { sampled, rand: rand ?? drawRand(), replaced: false }
    if (sampled === undefined && rand === undefined) return draw(false)
    // A caller that chooses the random number chooses the result, as if it said "yes".
    const yes = sampled ?? (rate !== undefined && rand! < rate)
    if (yes) return admit() ? { sampled: yes, rand: rand ?? drawRand(), replaced: false } : draw(true)
    return { sampled: rate === undefined ? undefined : false, rand: rand!, replaced: false }
  }

  function draw(replaced: boolean): Decision {
    const rand = drawRand()
    return { sampled: rate === undefined ? undefined : rand < rate, rand, replaced }
  }
}

/** Six digits, as in the protocol. Further digits would be lost on the way. */
const SCALE = 1_000_000

const drawRand = (): number => floor(Math.random())
const floor = (share: number): number => Math.floor(share * SCALE) / SCALE

/** Formats the random number with six digits. Formatting an integer is ten times faster than formatting a fraction. */
export const formatRand = (rand: number): string => `0.${String(SCALE + Math.round(rand * SCALE)).slice(1)}`

/**
 * Random number from the head of the trace, or one that agrees with the head's decision; undefined if neither is known.
 */
function incomingRand(sampled: boolean | undefined, facts: TraceFacts | undefined): number | undefined {
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

/** Creates a function that returns true at most `times` within any `span` milliseconds. */
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
