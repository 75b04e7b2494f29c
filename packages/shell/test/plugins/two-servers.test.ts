// Runs in a process of its own: it looks at the subscribers of its process.
import t, { type Test } from 'tap'
import { CHANNELS, DOCUMENTS, ERRORS } from '../../../common/src/channels.ts'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { createCollector } from '@hull/test-helpers/collector.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const site = await buildFixtureSite()

async function createTracedApp(t: Test) {
  const collector = createCollector()
  const { app, logs } = await createTestApp(t, {
    site,
    env: { TRACES_SAMPLE_RATE: '1' },
    telemetryTo: collector.to
  })
  return { app, logs, collector, flush: () => app.telemetry!.flush(60_000) }
}

t.test('two servers in one process', async (t) => {
  const first = await createTracedApp(t)
  const second = await createTracedApp(t)
  const silent = await createTestApp(t, { site })

  t.test('have separate spans, and those of one continue after the other has closed', async (t) => {
    const traced = { url: '/traced/7', headers: { 'x-user': 'ada' } }
    await Promise.all([first, second, silent].map(({ app }) => app.inject(traced)))
    await Promise.all([first.flush(), second.flush()])
    const opsOf = ({ collector }: typeof first) =>
      collector.transactions.map(({ spans }) => (spans as unknown as Array<{ op: string }>).map(({ op }) => op).sort())
    const [ops] = opsOf(first)
    t.ok(ops!.includes('getData') && ops!.includes('guard') && ops!.includes('render'))
    t.same(opsOf(first), [ops])
    t.same(opsOf(second), [ops])

    await second.app.close()
    await first.app.inject(traced)
    await first.flush()
    t.same(opsOf(first), [ops, ops])
  })

  t.test('report only their own errors', async (t) => {
    const third = await createTracedApp(t)
    for (const { app, logs } of [first, third, silent]) {
      await app.inject('/fail/data')
      t.equal(logs.takeErrors().length, 1)
    }
    for (const { collector, flush } of [first, third]) {
      await flush()
      t.equal(collector.errors.length, 1)
    }
    await third.app.close()
  })

  t.test('remove their subscribers', async (t) => {
    await Promise.all([first, silent].map(({ app }) => app.close()))
    for (const [name, channel] of Object.entries({ ...CHANNELS, ERRORS, DOCUMENTS }))
      t.notOk(channel.hasSubscribers, name)
  })
})
