import { LRUCache } from 'lru-cache'
import { DAY } from '@hull/common/time.ts'

/** Refused envelopes with the same project and reason. */
export interface Refusal {
  /** Project in the address; it may not exist. */
  project: number
  code: string
  /** Sentence of the last one. */
  message: string
  /** How many since the first of them. */
  quantity: number
  /** Time of the last one, milliseconds since the epoch. */
  at: number
}

/** Maximum kinds to remember: anybody can send to any project. */
const MAX_KINDS = 100

/** Counts the envelopes of services that this process refuses, for the doctor. A kind is forgotten after a day without one. */
export class Refusals {
  /** By project and code. */
  readonly #kinds = new LRUCache<string, Refusal>({ max: MAX_KINDS })

  add({ project, code, message, at }: Omit<Refusal, 'quantity'>): void {
    const name = `${project} ${code}`
    const known = this.#kinds.peek(name)
    const quantity = known && known.at > at - DAY ? known.quantity + 1 : 1
    this.#kinds.set(name, { project, code, message, quantity, at })
  }

  /** Refusals of the last day, the newest first. */
  list(now: number): Refusal[] {
    return [...this.#kinds.values()].filter(({ at }) => at > now - DAY)
  }
}
