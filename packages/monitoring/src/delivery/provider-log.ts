import { HOUR } from '@hull/common/time.ts'
import type { Log } from '@hull/common/worker-rpc.ts'
import type { Clock } from './clock.ts'

/** Number of failed attempts in a row after which the provider counts as down. Our choice. */
const THRESHOLD = 5

/** Milliseconds between log lines about the same refusal. */
const REFUSAL_INTERVAL = HOUR

/** Logs that a provider does not work or refuses envelopes, without a line per envelope. */
export class ProviderLog {
  readonly #log: Log
  readonly #clock: Pick<Clock, 'now'>
  /** Host and project without a key. */
  readonly #provider: string
  /** Failed attempts since the last answer. */
  #failures = 0
  /** Times of the last lines about refusals, by reason. */
  readonly #refusals = new Map<string, number>()

  constructor(log: Log, clock: Pick<Clock, 'now'>, provider: string) {
    this.#log = log
    this.#clock = clock
    this.#provider = provider
  }

  /** @param reason why the attempt failed */
  failed(reason: string): void {
    if (++this.#failures !== THRESHOLD) return
    this.#log.warn({ provider: this.#provider, reason }, 'envelopes cannot be delivered: they wait')
  }

  /** Records that the provider works: it answered, even if it did not accept the envelope. */
  worked(): void {
    if (this.#failures >= THRESHOLD) this.#log.info({ provider: this.#provider }, 'envelopes are delivered again')
    this.#failures = 0
  }

  /** @param reason why the provider refused the envelope */
  refused(reason: string): void {
    const now = this.#clock.now()
    const last = this.#refusals.get(reason)
    if (last !== undefined && now - last < REFUSAL_INTERVAL) return
    this.#refusals.set(reason, now)
    this.#log.warn({ provider: this.#provider, reason }, 'the provider refused an envelope: it is dropped')
  }
}
