import t from 'tap'
import type { Page } from 'playwright'
import { hydrated, launchBrowser, openTab, startApp, until } from '../helpers/browser.ts'

const browser = await launchBrowser(t, { keepsPages: true })

t.test('going back', async (t) => {
  const { origin } = await startApp(t)

  t.test('brings a page out of memory as it was left, alive', async (t) => {
    const { page, open, pathsOf } = await openTab(t, browser, { origin })
    await open('/lab/layout/a')
    await hydrated(page)
    await page.getByRole('button', { name: 'Count' }).click()
    await page.evaluate(() => {
      window.addEventListener('pageshow', ({ persisted }) => Object.assign(window, { persisted }))
    })
    await open('/lab/layout/b')
    await hydrated(page)
    await page.goBack({ waitUntil: 'commit' })
    await until(page, () => (window as { persisted?: boolean }).persisted === true)
    t.equal(await page.locator('output').innerText(), '1')
    await page.getByRole('button', { name: 'Count' }).click()
    await until(page, () => document.querySelector('output')?.textContent === '2')
    t.same(pathsOf('document'), ['/lab/layout/a', '/lab/layout/b'], 'without another request')
  })

  t.test('to a streamed page shows it whole', async (t) => {
    const { page, open } = await openTab(t, browser, { origin })
    await open('/lab/stream')
    await hydrated(page)
    await open('/lab')
    await hydrated(page)
    await page.goBack({ waitUntil: 'commit' })
    await page.getByText('14 pieces in the shed by the slipway.').waitFor()
    await hydrated(page)
    t.equal(await page.getByText('On the way').count(), 0)
  })

  t.test('from a form that was refused shows it as it was typed, without the errors', async (t) => {
    const { page, open, press, seen } = await openTab(t, browser, { origin })
    await open('/lab/form')
    await hydrated(page)
    await page.getByLabel('Name').fill('Ada')
    await press(page.getByRole('button', { name: 'Send the claim' }))
    seen(422)
    await hydrated(page)
    t.equal(await page.getByRole('alert').count(), 1)
    await page.goBack({ waitUntil: 'commit' })
    await until(page, () => document.querySelector('[role=alert]') === null)
    t.equal(await page.getByLabel('Name').inputValue(), 'Ada')
  })

  t.test('from a form that was taken, and reloading it, sends nothing twice', async (t) => {
    const { page, open, press, requests } = await openTab(t, browser, { origin })
    await open('/lab/form')
    await fillClaim(page)
    await press(page.getByRole('button', { name: 'Send the claim' }))
    await page.getByText('A claim of 12.00 was taken.').waitFor()
    await page.reload()
    await page.getByText('A claim of 12.00 was taken.').waitFor()
    await hydrated(page)
    await page.goBack({ waitUntil: 'commit' })
    await until(page, () => location.search === '')
    t.equal(await page.getByRole('status').count(), 0)
    t.equal(requests.filter((request) => request.method() === 'POST').length, 1)
  })
})

async function fillClaim(page: Page) {
  await page.getByLabel('Name').fill('Ada')
  await page.getByLabel('E-mail').fill('ada@example.org')
  await page.getByLabel('Amount').fill('12')
}
