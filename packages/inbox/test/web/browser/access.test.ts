import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, textOf, type Tab } from '@hull/test-helpers/browser.ts'
import { messages, startServer, terminate } from '@hull/test-helpers/child-server.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { createVisitor, INBOX_PASSWORD } from '@hull/test-helpers/inbox-visitor.ts'

const browser = await launchBrowser(t)

t.test('the printed link signs in once, and its token is neither logged, stored nor sent as a referrer', async (t) => {
  const DATA_DIR = createFolder(t)
  const server = await startServer(t, { LOG_LEVEL: 'trace', TRACES_SAMPLE_RATE: '1', DATA_DIR })
  while (server.printed.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  const link = server.printed[0]!.split(' ').at(-1)!
  t.ok(link.startsWith(`${server.origin}/inbox/sign-in?token=`), link)
  const token = new URL(link).searchParams.get('token')!
  // Like a chat program that requests the link for a preview.
  t.equal((await fetch(link)).status, 200)

  const tab = await openTab(t, browser, { origin: server.origin })
  await tab.open(link.slice(server.origin.length))
  await tab.press(tab.page.getByRole('button', { name: 'Open the inbox' }))
  t.equal(new URL(tab.page.url()).pathname, '/inbox')
  await hydrated(tab.page)
  const [cookie] = await tab.page.context().cookies()
  t.match(cookie, { name: 'inbox', httpOnly: true, sameSite: 'Lax', path: '/' })
  t.equal(await tab.page.evaluate(() => document.cookie), '')
  t.notOk(tab.requests.some((request) => (request.headers().referer ?? '').includes(token)))

  const other = await openTab(t, browser, { origin: server.origin })
  await other.open(link.slice(server.origin.length))
  t.match(await textOf(other.page), 'This link has expired')

  await other.open('/lab')
  await hydrated(other.page)
  const ending = await terminate(server)
  t.equal((await ending()).code, 0)
  // Open pages report errors and request live updates until they are closed.
  for (const { page } of [tab, other]) await page.close()
  for (const { take } of [tab, other]) await take()
  t.ok(messages(server).includes('request'))
  t.notMatch(JSON.stringify(server.lines), token)
  t.equal(server.printed.length, 1)
  const stored = readdirSync(DATA_DIR).map((file) => readFileSync(join(DATA_DIR, file)))
  t.ok(
    stored.some((file) => file.includes('/lab')),
    'telemetry was stored'
  )
  t.notOk(stored.some((file) => file.includes(token)))
})

t.test('an admin invites a person, whose session ends as soon as the person is removed', async (t) => {
  const { origin } = await createListeningApp(t, { env: { INBOX_PASSWORD } })
  const admin = await openTab(t, browser, { origin })
  await signIn(admin)
  await admin.page.getByRole('combobox', { name: 'For' }).selectOption('viewer')
  await admin.page.getByRole('button', { name: 'Create link' }).click()
  const link = await admin.page.locator('code', { hasText: '/inbox/invitation' }).innerText()

  const guest = await openTab(t, browser, { origin })
  await guest.open(link.slice(origin.length))
  await guest.page.getByRole('textbox', { name: 'Your name' }).fill('Vera')
  await guest.press(guest.page.getByRole('button', { name: 'Open the inbox' }))
  // A page with live updates would notice the end of the session by itself.
  await guest.open('/inbox/account')
  await hydrated(guest.page)

  await admin.page.reload()
  await hydrated(admin.page)
  await admin.page.getByRole('link', { name: 'Vera' }).click()
  await admin.page.getByText('Remove', { exact: true }).click()
  await admin.page.getByRole('button', { name: 'Remove now' }).click()
  await admin.page.waitForURL('**/inbox/settings/people')
  t.equal(await admin.page.getByRole('link', { name: 'Vera' }).count(), 0)

  await guest.page.getByRole('link', { name: 'Issues' }).click()
  await guest.page.getByRole('heading', { name: 'Sign in to continue' }).waitFor()
  guest.seen(401)
  // The prefetch for a link that was not clicked is aborted.
  t.same(
    (await admin.take()).filter((line) => !line.endsWith('net::ERR_ABORTED')),
    []
  )
})

t.test('after signing out, going back shows nothing of the inbox', async (t) => {
  const { origin } = await createListeningApp(t, { env: { INBOX_PASSWORD } })
  const tab = await openTab(t, browser, { origin })
  await signIn(tab)
  await tab.page.goto('/inbox/sign-out')
  await tab.press(tab.page.getByRole('button', { name: 'Sign out' }))
  t.match(await textOf(tab.page), 'You are signed out')
  await tab.page.goBack()
  await tab.page.goBack()
  t.notMatch(await textOf(tab.page), 'Invitations')
  tab.seen(401)
})

t.test('signing in and the settings work without scripts', async (t) => {
  const { origin } = await createListeningApp(t, { env: { INBOX_PASSWORD } })
  const tab = await openTab(t, browser, { origin, javaScriptEnabled: false })
  const { page } = tab
  await tab.open('/inbox/settings', 401)
  await tab.press(page.getByRole('link', { name: 'Sign in' }))
  await page.getByRole('textbox', { name: 'Your name' }).fill('Ada')
  await page.getByLabel('Password').fill('wrong')
  await tab.press(page.getByRole('button', { name: 'Sign in' }))
  t.match(await page.getByRole('alert').innerText(), 'Wrong password.')
  tab.seen(422)
  await page.getByLabel('Password').fill(INBOX_PASSWORD)
  await tab.press(page.getByRole('button', { name: 'Sign in' }))
  t.equal(new URL(page.url()).pathname, '/inbox/settings')
  await page.getByRole('textbox', { name: 'Name' }).fill('Worker')
  await tab.press(page.getByRole('button', { name: 'Create project' }))
  await page.getByText('Remove project', { exact: true }).click()
  await tab.press(page.getByRole('button', { name: 'Remove project now' }))
  t.equal(new URL(page.url()).pathname, '/inbox/settings')
  t.notMatch(await textOf(page), 'Worker')
})

for (const javaScriptEnabled of [true, false]) {
  t.test(`too many wrong passwords keep the form and the name, script: ${javaScriptEnabled}`, async (t) => {
    const { app, origin } = await createListeningApp(t, { env: { INBOX_PASSWORD } })
    // Each request comes from another network, so that the name is delayed for a minute.
    for (let i = 0; i < 30; i++)
      await createVisitor(app, { remoteAddress: `198.51.100.${i}` }).post('/inbox/sign-in', {
        name: 'Ada',
        password: 'wrong'
      })
    const tab = await openTab(t, browser, { origin, javaScriptEnabled })
    const { page } = tab
    await tab.open('/inbox/settings', 401)
    if (javaScriptEnabled) await hydrated(page)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('textbox', { name: 'Your name' }).fill('Ada')
    for (const [password, sentence, status] of [
      ['wrong', 'Wrong password.', 422],
      [INBOX_PASSWORD, /Too many wrong passwords\. Try again in (?:1 minute|\d+ seconds)\./, 429]
    ] as const) {
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('alert').filter({ hasText: sentence }).waitFor()
      tab.seen(status)
      t.equal(await page.getByRole('textbox', { name: 'Your name' }).inputValue(), 'Ada')
      t.equal(await page.getByLabel('Password').getAttribute('value'), null)
    }
  })
}

async function signIn({ page, open, press }: Tab) {
  await open('/inbox/sign-in?return=/inbox/settings/people')
  await page.getByRole('textbox', { name: 'Your name' }).fill('Ada')
  await page.getByLabel('Password').fill(INBOX_PASSWORD)
  await press(page.getByRole('button', { name: 'Sign in' }))
  await hydrated(page)
}
