import t from 'tap'
import { hydrated, launchBrowser, openTab, startApp } from '../../helpers/browser.ts'
import { keepDataFolder } from '../../helpers/inbox.ts'

const browser = await launchBrowser(t)

t.test('from nothing to the cause: the printed link, a break, its source line, resolved, and back again', async (t) => {
  const { origin, logs, printed } = await startApp(t, {
    env: { DATA_DIR: keepDataFolder(t), TRACES_SAMPLE_RATE: '1' }
  })
  const link = /\/inbox\/sign-in\?token=[\w-]{43}/.exec(printed.join(''))![0]

  const inbox = await openTab(t, browser, { origin })
  const { page } = inbox
  await inbox.open(link)
  await inbox.press(page.getByRole('button', { name: /sign in|open the inbox/i }))
  await page.getByText('Nothing has gone wrong yet').waitFor()
  await hydrated(page)
  await page.waitForTimeout(500)

  const visitor = await openTab(t, browser, { origin })
  const breakIt = async () => {
    await visitor.open('/lab/error/click')
    await hydrated(visitor.page)
    await visitor.page.getByRole('button', { name: 'Throw' }).click()
    await visitor.takeFirst()
  }
  await breakIt()
  // It appears by itself.
  const row = page.locator('[data-row-link]').first()
  await row.waitFor()
  await row.click()
  await page.getByRole('heading', { name: 'Stack' }).waitFor()
  t.match(await page.locator('.place').first().innerText(), /client\/pages\/lab\/error\/click\.tsx:\d+:\d+/)
  t.match(await page.locator('.source-failing').first().innerText(), 'throw')

  await page.getByRole('button', { name: 'Resolve', exact: true }).click()
  await page.getByText('1 issue resolved.').waitFor()
  await breakIt()
  await page.getByRole('link', { name: /newer event came/i }).click()
  await page.locator('.issue-state-regressed').waitFor()
  t.match(await page.locator('.activity').innerText(), /Came back[^]*resolved it[^]*First seen/)

  // A page that fails on the server, with the attempts of its fetch.
  await visitor.open('/lab/flaky?fail=4', 500)
  await page.goto('/inbox/issues')
  const failed = page.locator('[data-row]', { hasText: 'failed after 4 attempts' })
  const arrived = page.getByRole('button', { name: 'Show 1 new issue' })
  await failed.or(arrived).waitFor()
  if (await arrived.isVisible()) await arrived.click()
  await failed.locator('[data-row-link]').click()
  await page.getByRole('heading', { name: 'Trace', exact: true }).waitFor()
  t.same(await page.locator('.waterfall-attempt').allTextContents(), ['1', '2', '3', '4'])
  logs.takeErrors()
  // A look at what has changed may still be on its way.
  await inbox.take()
})
