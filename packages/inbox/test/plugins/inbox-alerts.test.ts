import t, { type Test } from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import type { LogRecorder } from '@hull/test-helpers/log-recorder.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'
import { createReceiver } from '../helpers/alerts.ts'

const ALERTS = '/inbox/settings/alerts'

const site = await buildFixtureSite()

const open = (t: Test, env: Record<string, string> = {}) => createTestApp(t, { site, env: { INBOX: 'on', ...env } })

/** Pino's level of warnings. */
const WARN = 40

const warningsOf = ({ lines }: LogRecorder) => lines.filter(({ level }) => level === WARN)

t.test('the metrics count attempts to deliver alerts, from zero, by kind of channel and outcome', async (t) => {
  const { app } = await createTestApp(t, { env: { INBOX_PASSWORD, INBOX_PRIVATE_TARGETS: 'true' } })
  const count = async (channel: string, outcome: string) => {
    const name = `inbox_alert_attempts_total{channel="${channel}",outcome="${outcome}"}`
    const line = (await app.metrics.print()).split('\n').find((line) => line.startsWith(name))
    return line && Number(line.slice(name.length))
  }
  for (const kind of ['webhook', 'slack', 'discord', 'teams', 'mail'])
    for (const outcome of ['delivered', 'failed']) t.equal(await count(kind, outcome), 0, `${kind} ${outcome}`)

  const admin = await signIn(app)
  const receiver = await createReceiver(t)
  const fields = { intent: 'create-channel', kind: 'webhook', name: 'Team', target: receiver.url, groupMinutes: '0' }
  const { location } = (await admin.post(ALERTS, fields)).headers
  receiver.answer = (response) => void response.writeHead(500).end()
  await admin.post(String(location), { intent: 'test' })
  t.same([await count('webhook', 'delivered'), await count('webhook', 'failed')], [0, 1])
  receiver.answer = (response) => void response.writeHead(204).end()
  await admin.post(String(location), { intent: 'test' })
  t.same([await count('webhook', 'delivered'), await count('webhook', 'failed')], [1, 1])
})

t.test('a start with half of the settings for mail warns, and names the other', async (t) => {
  const url = 'smtp://mail.example'
  const from = 'Inbox <inbox@shop.example>'
  for (const [env, text] of [
    [{ INBOX_MAIL_FROM: from }, /^INBOX_MAIL_FROM is set without INBOX_SMTP_URL/],
    [{ INBOX_SMTP_URL: url }, /^INBOX_SMTP_URL is set without INBOX_MAIL_FROM/]
  ] as const) {
    const { logs } = await open(t, { ...env })
    t.match(warningsOf(logs), [{ msg: text }])
  }
  for (const env of [{ INBOX_MAIL_FROM: from, INBOX_SMTP_URL: url }, undefined]) {
    const { logs } = await open(t, env)
    t.same(warningsOf(logs), [])
  }
})
