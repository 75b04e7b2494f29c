import { join } from 'node:path'
import type { Event } from '@sentry/core'
import type { Page } from 'playwright'
import type { Test } from 'tap'
import { createListeningApp } from './app.ts'
import { until } from './browser.ts'
import { eventually } from './patience.ts'
import { openProvider, type TestProvider } from './provider.ts'
import { buildSite } from './site.ts'

export interface SpanJson {
  op: string
  description: string
  span_id: string
  parent_span_id: string
  trace_id: string
  data: Record<string, unknown>
}

export type Transaction = Event & { spans: SpanJson[] }

/** The pages of packages/monitoring/test/fixtures/monitored, with a provider that belongs to the test. */
export async function startMonitored(t: Test, env: Record<string, string> = {}) {
  const site = await buildSite(join(import.meta.dirname, '../../monitoring/test/fixtures/monitored'))
  const provider = await openProvider(t)
  const app = await createListeningApp(t, { site, env: { SENTRY_DSN: provider.dsn, TRACES_SAMPLE_RATE: '1', ...env } })
  // No spans are recorded before.
  await eventually(() => app.app.telemetry!.isReady)
  return { ...app, provider, ...readProvider(provider) }
}

/** Events and transactions that a provider has received. */
export function readProvider({ seen }: TestProvider) {
  const payloads = <T>(type: string) =>
    seen.flatMap(({ items }) =>
      items.filter(({ header }) => header.type === type).map(({ payload }) => JSON.parse(payload.toString()) as T)
    )
  const errors = () => payloads<Event>('event').filter(({ platform }) => platform === 'javascript')
  const transactions = () => payloads<Transaction>('transaction')
  return {
    errors,
    transactions,
    reports: () =>
      payloads<{ discarded_events: Array<{ reason: string; category: string; quantity: number }> }>('client_report'),
    /** Messages of the errors, sorted. */
    messages: () =>
      errors()
        .map((event) => event.exception?.values?.at(-1)?.value ?? event.message ?? '')
        .toSorted(),
    /** Waits for a transaction. */
    transaction: (op: string, name: string) =>
      eventually(() =>
        transactions().find(({ transaction, contexts }) => contexts?.trace?.op === op && transaction === name)
      )
  }
}

/** Waits until the SDK is ready to report. */
export const monitored = (page: Page): Promise<void> =>
  until(page, () => '$errors' in self && !Array.isArray(self.$errors))
