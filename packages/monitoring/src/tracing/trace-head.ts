import { MAX_PROPAGATION_LENGTH } from '@hull/common/constants.ts'
import { formatBaggage, type TraceFacts } from './baggage.ts'

/** Facts that all traces beginning here have in common. */
export class TraceHead {
  readonly facts: Readonly<TraceFacts & { sample_rate: string }>
  readonly #baggage: string
  /** Baggage members by route; their number is limited by the routes. */
  readonly #names = new Map<string, string>()

  constructor(facts: TraceFacts, sampleRate: number) {
    this.facts = { ...facts, sample_rate: String(sampleRate) }
    this.#baggage = formatBaggage(this.facts)
  }

  /**
   * Returns the baggage of a trace that begins here; undefined if it may be too long.
   * @param own members that differ from trace to trace
   */
  toBaggage(own: string, name: string | undefined): string | undefined {
    const baggage = `${own},${this.#baggage}${name === undefined ? '' : this.#nameMember(name)}`
    return baggage.length > MAX_PROPAGATION_LENGTH ? undefined : baggage
  }

  #nameMember(name: string): string {
    let member = this.#names.get(name)
    if (member === undefined) this.#names.set(name, (member = `,${formatBaggage({ transaction: name })}`))
    return member
  }
}
