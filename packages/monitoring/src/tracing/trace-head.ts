import { MAX_PROPAGATION_LENGTH } from '@hull/common/constants.ts'
import { formatBaggage, type TraceFacts } from './baggage.ts'

/** What all traces that begin here have in common. */
export class TraceHead {
  readonly facts: Readonly<TraceFacts & { sample_rate: string }>
  readonly #baggage: string
  /** By route: as many as there are routes. */
  readonly #names = new Map<string, string>()

  constructor(facts: TraceFacts, sampleRate: number) {
    this.facts = { ...facts, sample_rate: String(sampleRate) }
    this.#baggage = formatBaggage(this.facts)
  }

  /**
   * Baggage of a trace that begins here; undefined when it may be too long.
   * @param own what differs from trace to trace
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
