import { parseEnvelope, type Event } from '@sentry/core'
import type { EnvelopeAnswer } from '../../monitoring/src/server-sdk/telemetry.ts'

export const DSN = 'http://0123456789abcdef0123456789abcdef@127.0.0.1:9/1'

type Item = [headers: { type: string }, payload: unknown]

/** Receives envelopes in place of a provider, and keeps them. */
export function createCollector(answer?: () => Promise<EnvelopeAnswer | void>) {
  /** Each envelope as it was sent. */
  const texts: string[] = []
  const items: Item[] = []
  const headers: Array<Record<string, unknown>> = []

  const payloads = <T>(type: string) =>
    items.filter(([header]) => header.type === type).map(([, payload]) => payload as T)

  return {
    texts,
    headers,
    to: {
      dsn: DSN,
      async send(_dsn: string, envelope: Uint8Array): Promise<EnvelopeAnswer | void> {
        texts.push(Buffer.from(envelope).toString())
        const [header, own] = parseEnvelope(envelope)
        headers.push(header as Record<string, unknown>)
        items.push(...(own as unknown as Item[]))
        return answer?.()
      }
    },
    get errors() {
      return payloads<Event>('event')
    },
    get transactions() {
      return payloads<Event>('transaction')
    },
    get checkIns() {
      return payloads<Record<string, unknown>>('check_in')
    },
    get reports() {
      return payloads<{ discarded_events: Array<{ reason: string; category: string; quantity: number }> }>(
        'client_report'
      )
    },
    /** All envelopes as one text. */
    get all() {
      return texts.join('\n')
    }
  }
}
