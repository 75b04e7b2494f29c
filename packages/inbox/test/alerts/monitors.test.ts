import t, { type Test } from 'tap'
import { toSlackBody } from '../../src/alerts/chat.ts'
import { deleteMonitor } from '../../src/mutations/monitors.ts'
import { createMailServer, openAlerts } from '../helpers/alerts.ts'
import { createEnvelope } from '../helpers/writer.ts'

const MINUTE = 60_000
const HOURLY = { schedule: { type: 'interval', value: 1, unit: 'hour' }, checkin_margin: 5, max_runtime: 10 }

/** Opens an inbox with rules for failed and recovered monitors, whose alerts are sent immediately. */
async function openMonitors(t: Test, options: Parameters<typeof openAlerts>[1] = {}) {
  const alerts = await openAlerts(t, options)
  const { writer, now, tidy, turn, addChannel, addRule } = alerts
  let ids = 0
  const addRules = async (channel: number) => {
    for (const kind of ['monitor-failed', 'monitor-recovered'] as const) await addRule(channel, kind)
    return channel
  }
  return {
    ...alerts,
    addRules,
    addTeam: async () => addRules(await addChannel({ groupMinutes: 0 })),
    /**
     * Sends a check-in, and runs the alerts.
     * @returns its id
     */
    async checkIn(over: Record<string, unknown> = {}) {
      const checkIn = {
        check_in_id: (++ids).toString(16).padStart(32, 'a'),
        monitor_slug: 'nightly-export',
        environment: 'production',
        status: 'ok',
        monitor_config: HOURLY,
        ...over
      }
      writer.ingest([createEnvelope([['check_in', checkIn]], { receivedAt: now() })])
      await turn()
      await turn()
      return checkIn.check_in_id
    },
    /** Runs the inbox for some minutes. */
    async run(minutes: number) {
      for (let minute = 0; minute < minutes; minute++) {
        await turn(MINUTE)
        tidy()
      }
      await turn()
      await turn()
    }
  }
}

t.test('a message about a monitor without an environment names no environment', async (t) => {
  const { addTeam, checkIn, titles } = await openMonitors(t)
  await addTeam()
  await checkIn({ environment: '' })
  await checkIn({ environment: '', status: 'error' })
  t.same(titles(), ['[This application] Monitor failed: nightly-export reported an error'])
})

t.test('a monitor sends one message when it fails, and one when it recovers', async (t) => {
  const { addTeam, checkIn, receiver, titles } = await openMonitors(t)
  await addTeam()
  await checkIn()
  t.same(titles(), [], 'the first success is no recovery')
  await checkIn({ status: 'error' })
  await checkIn({ status: 'error' })
  await checkIn({ status: 'in_progress' })
  t.same(titles(), ['[This application] Monitor failed: nightly-export in production reported an error'])
  await checkIn()
  await checkIn()
  t.same(titles().slice(1), ['[This application] Monitor recovered: nightly-export in production'])
  t.match(receiver.requests[0]!.message, {
    total: 1,
    counts: { 'monitor-failed': 1 },
    changes: [
      {
        kind: 'monitor-failed',
        monitor: {
          id: 1,
          name: 'nightly-export',
          environment: 'production',
          url: 'https://inbox.example/inbox/monitors/1'
        }
      }
    ],
    url: 'https://inbox.example/inbox/monitors?project=1'
  })
  t.match(toSlackBody(receiver.requests[0]!.message), '|All monitors>')
})

t.test('several missed check-ins in a row are one message, and a job that runs too long is another', async (t) => {
  const { addTeam, checkIn, run, titles } = await openMonitors(t)
  await addTeam()
  await checkIn()
  await run(200)
  t.same(titles(), ['[This application] Monitor failed: nightly-export in production missed its check-in'])
  const check_in_id = await checkIn({ status: 'in_progress' })
  await run(11)
  t.equal(titles().length, 1, 'the monitor has already failed')
  await checkIn({ check_in_id })
  t.same(titles().slice(1), ['[This application] Monitor recovered: nightly-export in production'])
  await checkIn({ status: 'in_progress' })
  await run(11)
  t.same(titles().slice(2), ['[This application] Monitor failed: nightly-export in production runs too long'])
})

t.test('a deleted monitor and a project without a rule send nothing', async (t) => {
  const { addTeam, checkIn, run, titles, store, writer, turn, now } = await openMonitors(t)
  await checkIn()
  await checkIn({ status: 'error' })
  await checkIn()
  await addTeam()
  const failing = { check_in_id: 'b'.repeat(32), monitor_slug: 'nightly-export', environment: 'production' }
  writer.ingest([createEnvelope([['check_in', { ...failing, status: 'error' }]], { receivedAt: now() })])
  deleteMonitor(store, { id: 1 })
  await turn()
  await run(2)
  t.same(titles(), [])
})

t.test('several failed monitors are one message, and chats and mails link to them', async (t) => {
  const { mails, mail } = await createMailServer(t)
  const { addRules, addChannel, checkIn, run, receiver, writer, now } = await openMonitors(t, { mail })
  await addRules(await addChannel({ kind: 'slack' }))
  await addRules(await addChannel({ kind: 'mail', target: 'team@shop.example' }))
  await checkIn()
  const failing = ['a', 'b<b>'].map((name, index) => [
    'check_in',
    { check_in_id: `${index + 1}`.repeat(32), monitor_slug: name, environment: 'staging', status: 'error' }
  ]) as [string, unknown][]
  writer.ingest([createEnvelope(failing, { receivedAt: now() })])
  await run(3)
  const { text } = JSON.parse(receiver.requests[0]!.body) as { text: string }
  t.match(text, '*[This application] 2 failed monitors*')
  t.match(text, '<https://inbox.example/inbox/monitors/2|Monitor failed: a in staging reported an error>')
  t.notMatch(text, 'b<b>')
  t.match(mails[0], /Subject: \[This application\] 2 failed monitors/)
  const html = mails[0]!.replaceAll('=\r\n', '')
  t.match(html, 'example/inbox/monitors/3">Monitor failed: b&lt;b&gt; in staging')
})

t.test(
  'a monitor alerts after the number of failures and successes in a row that its configuration names',
  async (t) => {
    const { addTeam, checkIn, run, titles } = await openMonitors(t)
    await addTeam()
    const monitor_config = { ...HOURLY, failure_issue_threshold: 3, recovery_threshold: 2 }
    const report = (...statuses: string[]) =>
      statuses.reduce<Promise<unknown>>(
        (last, status) => last.then(() => checkIn({ status, monitor_config })),
        Promise.resolve()
      )
    const [failed, recovered] = [
      'Monitor failed: nightly-export in production',
      'Monitor recovered: nightly-export in production'
    ]
    await report('ok', 'error', 'error', 'ok', 'error', 'error')
    t.same(titles(), [], 'never three in a row')
    await run(2 * 60)
    t.same(titles(), [`[This application] ${failed} missed its check-in`], 'a missed check-in is the third')
    await report('ok', 'error', 'ok')
    t.equal(titles().length, 1, 'never two in a row')
    await report('ok')
    t.same(titles().slice(1), [`[This application] ${recovered}`])
  }
)

t.test('a run that times out, and then reports its failure, is one failure', async (t) => {
  const { addTeam, checkIn, run, titles } = await openMonitors(t)
  await addTeam()
  const monitor_config = { ...HOURLY, failure_issue_threshold: 2 }
  const check_in_id = await checkIn({ status: 'in_progress', monitor_config })
  await run(15)
  await checkIn({ check_in_id, status: 'error' })
  t.same(titles(), [])
  await checkIn({ status: 'error', monitor_config })
  t.equal(titles().length, 1)
})
