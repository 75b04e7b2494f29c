import t from 'tap'
import type { Page } from 'playwright'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { findWholeBrowser, hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'

const keeping = await findWholeBrowser()
const browser = await launchBrowser(t, { keeping })
const skip = keeping === undefined && 'the headless shell keeps no pages, and there is no other browser'

t.test('going back', async (t) => {
  const { origin } = await createListeningApp(t)

  t.test(
    'restores a page from the back/forward cache with its state, and the page is interactive',
    { skip },
    async (t) => {
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
      t.same(pathsOf('document'), ['/lab/layout/a', '/lab/layout/b'], 'no other document is requested')
    }
  )

  t.test('to a page in the back/forward cache requests its data again, and keeps its state', async (t) => {
    const { page, open, pathsOf } = await openTab(t, browser, { origin })
    await open('/lab/layout/b')
    await hydrated(page)
    await page.locator('a[href="/lab/layout/a"]').first().click()
    await until(page, () => location.pathname === '/lab/layout/a')
    await page.getByRole('button', { name: 'Count' }).click()
    const asked = () => pathsOf('fetch').filter((path) => path === '/-/data/lab/layout/a').length
    const before = asked()
    // The headless shell keeps no pages.
    await page.evaluate(() => {
      for (const type of ['pagehide', 'pageshow']) dispatchEvent(new PageTransitionEvent(type, { persisted: true }))
    })
    await eventually(() => asked() === before + 1)
    t.equal(await page.locator('output').innerText(), '1')
    // Other kept pages may be old too.
    await page.goBack()
    await eventually(() => pathsOf('fetch').includes('/-/data/lab/layout/b'))
    t.same(pathsOf('document'), ['/lab/layout/b'])
  })

  t.test('to a streamed page shows the complete page', async (t) => {
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

  t.test('from a refused form leads to the page before it, and going forward restores the typed values', async (t) => {
    const { page, open, pathsOf, seen } = await openTab(t, browser, { origin })
    await open('/lab')
    await hydrated(page)
    await page.locator('a[href="/lab/form"]').first().click()
    await page.getByLabel('Name').fill('Ada')
    await page.getByRole('button', { name: 'Send the claim' }).click()
    await page.getByRole('alert').filter({ hasText: 'Check 2 fields' }).waitFor()
    seen(422)
    await page.goBack()
    await until(page, () => document.title === 'Lab')
    await page.goForward()
    await until(page, () => document.title === 'Form · Lab')
    t.equal(await page.getByLabel('Name').inputValue(), 'Ada')
    t.same(pathsOf('document'), ['/lab'])
  })

  t.test('from an accepted form, or reloading it, sends nothing twice', async (t) => {
    const { page, open, requests } = await openTab(t, browser, { origin })
    await open('/lab/form')
    await hydrated(page)
    await fillClaim(page)
    await page.getByRole('button', { name: 'Send the claim' }).click()
    await page.getByText('A claim of 12.00 was taken.').waitFor()
    await page.reload()
    await page.getByText('A claim of 12.00 was taken.').waitFor()
    await hydrated(page)
    await page.goBack()
    await until(page, () => location.search === '' && document.querySelector('main [role=status]') === null)
    t.equal(await page.getByLabel('Name').inputValue(), '', 'the form is empty after it was accepted')
    t.equal(requests.filter((request) => request.method() === 'POST').length, 1)
  })
})

async function fillClaim(page: Page) {
  await page.getByLabel('Name').fill('Ada')
  await page.getByLabel('E-mail').fill('ada@example.org')
  await page.getByLabel('Amount').fill('12')
}
