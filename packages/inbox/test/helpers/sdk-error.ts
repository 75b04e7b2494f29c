import * as Sentry from '@sentry/node'
import type { Test } from 'tap'
import { INBOX_PASSWORD } from '@hull/test-helpers/inbox-visitor.ts'

/**
 * Signs in to an inbox in another process, sends an error with a real SDK to the DSN that its settings show, and reads
 * the issue.
 * @param origin origin of an inbox with INBOX_PASSWORD
 */
export async function sendAndReadError(t: Test, origin: string): Promise<void> {
  const signIn = await fetch(`${origin}/inbox/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin },
    body: new URLSearchParams({ name: 'Ada', password: INBOX_PASSWORD })
  })
  t.equal(signIn.status, 303)
  const cookie = signIn.headers
    .getSetCookie()
    .map((value) => value.split(';')[0])
    .join('; ')
  const read = async (path: string) => (await fetch(`${origin}${path}`, { headers: { cookie } })).text()

  t.match(await read('/inbox'), 'No errors yet')
  t.notMatch(await read('/inbox'), 'href="/lab')
  const [dsn] = /http:\/\/\w+@(127\.0\.0\.1|localhost):\d+\/\d+/.exec(await read('/inbox/settings/projects/1')) ?? []
  t.ok(dsn, 'the page of a project shows its DSN')

  Sentry.init({ dsn: dsn!, defaultIntegrations: false })
  const id = Sentry.captureException(new Error('the shelf is empty'))
  t.ok(await Sentry.flush(60_000))
  await Sentry.close()
  t.match(await read('/inbox/issues'), 'the shelf is empty')
  const event = await fetch(`${origin}/inbox/issues?q=${id}`, { headers: { cookie } })
  t.match(event.url, /\/inbox\/issues\/\d+/, 'the id from the SDK finds the event')
}
