import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { pause } from '@hull/test-helpers/moves.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { follow } from '@hull/test-helpers/navigation.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const site = await buildSite(join(import.meta.dirname, '../fixtures/segments'))
const { origin, logs } = await createListeningApp(t, { site })
const browser = await launchBrowser(t)
const gate = ((globalThis as { segmentGate?: { release?: () => void } }).segmentGate ??= {})

t.test('a loading view replaces the page during a long navigation, inside of the shared layouts', async (t) => {
  const { page, open } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  await page.getByRole('button').click()
  await page.getByRole('link', { name: '/shop/slow' }).click()
  await page.getByRole('status').filter({ hasText: 'Fetching ropes' }).waitFor()
  t.equal(await page.locator('h1').count(), 0, 'the shown page is hidden')
  t.equal(new URL(page.url()).pathname, '/', 'the URL is still that of the previous page')
  gate.release!()
  await page.getByRole('heading', { name: 'At last' }).waitFor()
  t.equal(new URL(page.url()).pathname, '/shop/slow')
  t.equal(await page.getByText('Fetching ropes').count(), 0)
  t.match(await page.getByRole('button').innerText(), 'visits 1', 'the shared layout keeps its state')
})

t.test('a search does not replace the page with its form by a loading view', async (t) => {
  const { page, open } = await openTab(t, browser, { origin })
  await open('/shop')
  await hydrated(page)
  await page.getByLabel('Length').fill('12 m')
  await page.getByRole('button', { name: 'Find' }).click()
  await page.locator('.shell-progress').waitFor()
  await pause(1_000)
  t.equal(await page.getByLabel('Length').inputValue(), '12 m')
  gate.release!()
  await page.getByRole('heading', { name: 'At last' }).waitFor()
})

t.test('cancelling a navigation shows the hidden page again', async (t) => {
  const { page, open, take } = await openTab(t, browser, { origin })
  await open('/shop')
  await hydrated(page)
  await page.getByRole('link', { name: '/shop/slow' }).click()
  await page.getByRole('status').filter({ hasText: 'Fetching ropes' }).waitFor()
  await page.evaluate(() => history.pushState(null, '', '#top'))
  await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')))
  await page.getByRole('heading', { name: 'All ropes' }).waitFor()
  gate.release!()
  // The request of the cancelled navigation is aborted.
  t.match(await take(), [/slow net::ERR_ABORTED/])
})

/** Opens the shop, and begins a navigation to a page whose layout suspends: its loading view hides the shop. */
async function openHallSlowly(t: Test) {
  const tab = await openTab(t, browser, { origin, viewport: { width: 400, height: 100 } })
  const { page, open } = tab
  await open('/shop')
  await hydrated(page)
  await page.evaluate(() => scrollTo(0, 40))
  gate.release = undefined
  await follow(page, '/hall')
  await page.getByRole('status').filter({ hasText: 'Opening the hall' }).waitFor()
  // On a busy machine, the loading view is shown before the server has the request.
  await eventually(() => gate.release)
  const response = page.waitForResponse('**/-/data/hall')
  gate.release!()
  await (await response).finished()
  await pause()
  return tab
}

t.test('a page that suspends while a loading view is shown', async (t) => {
  t.test('does not appear after a click on another link', async (t) => {
    const { page } = await openHallSlowly(t)
    await page.evaluate(() => {
      document.querySelector<HTMLElement>('a[href="/shop/slow"]')!.click()
      setTimeout(() => (globalThis as { openHall?: () => void }).openHall!(), 50)
    })
    await page.getByRole('status').filter({ hasText: 'Fetching ropes' }).waitFor()
    t.equal(new URL(page.url()).pathname, '/shop')
    gate.release!()
    await page.getByRole('heading', { name: 'At last' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'All ropes' }).waitFor()
  })

  t.test('does not appear after it was cancelled, and the hidden page has its scroll position', async (t) => {
    const { page } = await openHallSlowly(t)
    await page.evaluate(() => history.pushState(null, '', '#rope'))
    await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')))
    await page.getByRole('heading', { name: 'All ropes' }).waitFor()
    await page.evaluate(() => (globalThis as { openHall?: () => void }).openHall!())
    await pause()
    t.equal(await page.locator('h1').innerText(), 'All ropes')
    t.equal(await page.evaluate(() => scrollY), 40)
  })
})

t.test('the error view of the layout shows an error in the browser, with a button to try again', async (t) => {
  const { page, open, take } = await openTab(t, browser, { origin })
  await open('/shop/throws')
  await hydrated(page)
  await page.getByRole('button', { name: 'Break' }).click()
  await page.getByRole('heading', { name: 'The rope shop is closed' }).waitFor()
  t.equal(await page.locator('[data-side]').getAttribute('data-side'), 'client')
  t.equal(await page.locator('[data-shop]').count(), 1, 'the layout is still shown')
  await until(page, () => document.title === 'Application error · Ropes')
  t.match(await take(), [/the click fails/])
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'Break' }).waitFor()
})

t.test('if an error view fails in the browser, the next outer one is shown', async (t) => {
  const { page, open, take } = await openTab(t, browser, { origin })
  await open('/shop/inner')
  await hydrated(page)
  await page.getByRole('button', { name: 'Break' }).click()
  await page.getByRole('heading', { name: 'The rope shop is closed' }).waitFor()
  t.equal(await page.locator('[data-inner]').count(), 0)
  t.match((await take()).join(), /the error view fails/)

  await open('/shop/inner')
  await hydrated(page)
  await page.getByRole('button', { name: 'Lose' }).click()
  await page.getByText('It has left the shop.').waitFor()
  await page.getByRole('heading', { name: 'No such rope' }).waitFor()
  await until(page, () => document.title === 'Not found · Ropes')
  await take()
})

t.test('a navigation to a missing or failing page shows the view and its title', async (t) => {
  const { page, open, seen, pathsOf } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  await page.getByRole('link', { name: '/shop/9' }).click()
  await page.getByRole('heading', { name: 'No such rope' }).waitFor()
  await until(page, () => document.title === 'Not found · Ropes')
  await page.getByRole('link', { name: '/team/data' }).click()
  await page.getByRole('heading', { name: 'The crew is away' }).waitFor()
  t.match(await page.locator('h1').innerText(), String(logs.takeErrors()[0]?.digest))
  t.same(pathsOf('document'), ['/'])
  seen(404)
  seen(500)
})

t.test('the views work without JavaScript', async (t) => {
  const { page, open, press, seen } = await openTab(t, browser, { origin, javaScriptEnabled: false })
  await open('/shop/9', 404)
  t.equal(await page.locator('[data-shop] h1').innerText(), 'No such rope')
  await open('/shop/throws?data', 500)
  t.equal(await page.locator('[data-shop] h1').innerText(), 'The rope shop is closed')
  t.equal(logs.takeErrors().length, 1)
  await press(page.getByRole('link', { name: 'Try again' }))
  seen(500)
  t.equal(await page.locator('[data-shop] h1').innerText(), 'The rope shop is closed')
  t.equal(logs.takeErrors().length, 1)
})
