import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { readProvider } from '@hull/test-helpers/monitored.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { openProvider } from '@hull/test-helpers/provider.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const ERRORS = 600

const site = await buildFixtureSite()

t.test('delivers every error of a burst to a provider', async (t) => {
  const provider = await openProvider(t)
  const { app } = await createListeningApp(t, { site, env: { SENTRY_DSN: provider.dsn } })
  const capture = (n: number) => app.telemetry!.captureError({ error: new Error(`${n}`), digest: `${n}` })
  for (let n = 0; n < ERRORS; n++) capture(n)
  await eventually(() => provider.received.length >= ERRORS)
  await app.telemetry!.flush(60_000)
  await eventually(() => app.tunnel!.stats().envelopes === 0)
  t.same(readProvider(provider).reports(), [])
  t.notMatch(await app.metrics.print(), /^monitoring_(sdk_)?dropped_items_total{/m)
})

t.test('keeps the transactions of a burst while the provider is slow, in memory or on disk', async (t) => {
  const provider = await openProvider(t)
  const { app } = await createListeningApp(t, { site, env: { SENTRY_DSN: provider.dsn, TRACES_SAMPLE_RATE: '1' } })
  await eventually(() => app.telemetry!.isReady)
  await provider.goDown()
  for (let n = 0; n < 6; n++) await Promise.all(Array.from({ length: 100 }, () => app.inject('/about')))
  await app.telemetry!.flush(60_000)
  await provider.comeBack()
  await eventually(() => readProvider(provider).transactions().length >= 600)
  t.equal(readProvider(provider).transactions().length, 600)
  t.notMatch(await app.metrics.print(), /^monitoring_(sdk_)?dropped_items_total{/m)
})
