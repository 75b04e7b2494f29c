import { join } from 'node:path'
import type { Page } from 'playwright'
import t, { type Test } from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { pause, untilAborted } from '@hull/test-helpers/moves.ts'
import { follow } from '@hull/test-helpers/navigation.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const browser = await launchBrowser(t)
const site = await buildSite(join(import.meta.dirname, '../../fixtures/forms'))
const { origin, logs } = await createListeningApp(t, { site })
const DATE = '1970-01-01T00:00:00.000Z'

async function openCart(t: Test) {
  const tab = await openTab(t, browser, { origin })
  await tab.open('/cart')
  await hydrated(tab.page)
  const { page } = tab
  const item = (name: string) => page.getByLabel(name, { exact: true })
  const save = async (name: string, count: string) => {
    await item(name).getByLabel('Count').fill(count)
    await item(name).getByRole('button', { name: 'Save' }).click()
  }
  const shows = (name: string, expected: string) =>
    until(
      page,
      ([name, expected]) =>
        document.querySelector(`[aria-label="${name}"] output`)?.textContent?.replace(/\s+/g, ' ').trim() === expected,
      [name, expected]
    )
  const reads = async () => Number(await page.locator('#reads').innerText())
  return { tab, page, item, save, shows, reads }
}

t.test('fetchers run concurrently, and show the sent value first and then the data of the page', async (t) => {
  const { tab, save, shows, reads, page } = await openCart(t)
  const before = await reads()
  await save('ropeslow', '7')
  await shows('ropeslow', '7 submitting')
  await save('sail', '8')
  await shows('sail', `8 idle ${DATE}`)
  await shows('ropeslow', `7 idle ${DATE}`)
  await shows('rope', '7 idle')
  t.equal(await reads(), before + 2)
  const posts = tab.requests.filter((request) => request.method() === 'POST' && request.url().includes('/cart'))
  t.equal(posts.length, 2)
  t.same(tab.pathsOf('document'), ['/cart'])
  t.equal(page.url(), `${origin}/cart`)
})

t.test('a fetcher shows invalid input, failures, and the next success', async (t) => {
  const { tab, save, shows, item, page } = await openCart(t)
  const count = await shownCount(page)
  await save('rope', '1.5')
  await shows('rope', `${count} idle Enter a whole number.`)
  tab.seen(422)
  t.equal(await item('rope').getByLabel('Count').inputValue(), '1.5')
  await save('rope', '2')
  await shows('rope', `2 idle ${DATE}`)

  await save('ropefail', '3')
  await item('ropefail').getByText('The server failed. 500').waitFor()
  const [line] = logs.takeErrors()
  t.match(await item('ropefail').locator('p').innerText(), String(line?.digest))
  tab.seen(500)

  await item('rope').getByRole('button', { name: 'Take 99' }).click()
  await shows('rope', `99 idle ${DATE}`)
})

t.test('the action decides which page data is requested again', async (t) => {
  const { save, shows, reads, page } = await openCart(t)
  const before = await reads()
  await save('ropenone', '11')
  await shows('ropenone', `${await shownCount(page)} idle ${DATE}`)
  await save('ropeother', '12')
  await shows('ropeother', `${await shownCount(page)} idle ${DATE}`)
  t.equal(await reads(), before)
  await save('ropethis', '13')
  await shows('ropethis', `13 idle ${DATE}`)
  t.equal(await reads(), before + 1)
})

const shownCount = async (page: Page) =>
  (await page.getByLabel('rope', { exact: true }).locator('output').innerText()).split(' ')[0]

/** Hovers over the link to the next page, and waits for the data of that page. */
async function prefetchArrived(page: Page): Promise<void> {
  const prefetched = page.waitForResponse(/\/-\/data\/arrived/)
  await page.getByRole('link', { name: 'Leave' }).hover()
  await prefetched
}

t.test('page data that was prefetched or kept before a successful action is not used afterwards', async (t) => {
  const { save, shows, page, reads } = await openCart(t)
  await prefetchArrived(page)
  await save('ropeother', '14')
  await until(
    page,
    () => document.querySelector('[aria-label="ropeother"] output')?.textContent?.includes('1970') === true
  )
  const again = page.waitForResponse(/\/-\/data\/arrived/)
  await page.getByRole('link', { name: 'Leave' }).click()
  await again
  await page.getByRole('heading', { name: 'Arrived' }).waitFor()
  t.ok((await reads()) >= 2)
  await page.goBack()
  await shows('rope', '14 idle')
})

t.test(
  'page data that was prefetched before a failed action is not used afterwards, because the action may have run',
  async (t) => {
    const { tab, save, item, page } = await openCart(t)
    await prefetchArrived(page)
    await save('ropefail', '15')
    await item('ropefail').getByText('The server failed. 500').waitFor()
    t.equal(logs.takeErrors().length, 1)
    tab.seen(500)
    const again = page.waitForResponse(/\/-\/data\/arrived/, { timeout: 5_000 })
    await page.getByRole('link', { name: 'Leave' }).click()
    await again
  }
)

t.test('a fetcher follows a redirect', async (t) => {
  const { page, save, tab } = await openCart(t)
  await save('roperedirect', '21')
  await page.getByRole('heading', { name: 'Arrived' }).waitFor()
  t.same(tab.pathsOf('document'), ['/cart'])
})

t.test('a redirect to a hash of the shown page refreshes the page', async (t) => {
  const { page, save, shows, tab } = await openCart(t)
  await save('ropepart', '22')
  await shows('rope', '22 idle')
  t.equal(page.url(), `${origin}/cart#part`)
  t.same(tab.pathsOf('document'), ['/cart'])
})

t.test('a redirect does not replace a page that the visitor has opened in the meantime', async (t) => {
  const { page, save, shows } = await openCart(t)
  await save('ropelate', '23')
  await shows('ropelate', '23 submitting')
  const answered = Promise.withResolvers<void>()
  await page.route('**/-/data/order', async (route) => {
    await answered.promise
    await route.continue()
  })
  await page.getByRole('link', { name: 'Order' }).click()
  await shows('ropelate', `${await shownCount(page)} idle`)
  answered.resolve()
  await page.waitForURL('**/order')
  await pause()
  t.equal(page.url(), `${origin}/order`)
})

t.test('a redirect does not replace a page that is already shown, and that keeps the fetcher', async (t) => {
  const { page, save, shows } = await openCart(t)
  await save('ropelate', '24')
  await shows('ropelate', '24 submitting')
  await follow(page, '/cart?sort=name')
  await page.waitForURL('**/cart?sort=name')
  await shows('ropelate', '24 submitting')
  await shows('rope', '24 idle')
  await shows('ropelate', '24 idle')
  await pause()
  t.equal(page.url(), `${origin}/cart?sort=name`)
})

t.test('the request of a fetcher continues after a navigation, and its success refreshes the shown page', async (t) => {
  const { page, save, shows, reads } = await openCart(t)
  await save('ropeslow', '31')
  await shows('ropeslow', '31 submitting')
  await page.getByRole('link', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Arrived' }).waitFor()
  const before = await reads()
  await until(page, (before) => Number(document.querySelector('#reads')?.textContent) > before, before)
  await page.goBack()
  await shows('rope', '31 idle')
})

t.test('`abort` ends the submission', async (t) => {
  const { tab, save, shows, item, page } = await openCart(t)
  const count = await shownCount(page)
  await save('ropeslow', '41')
  await shows('ropeslow', '41 submitting')
  await item('ropeslow').getByRole('button', { name: 'Abort' }).click()
  await shows('ropeslow', `${count} idle`)
  t.match(await untilAborted(tab, 1), ['/cart?end=slow'])
})

t.test(
  'an invalid submission after an unfinished one, whose action has run, shows what that action has changed',
  async (t) => {
    const { tab, page, save, shows, item } = await openCart(t)
    const posted = Promise.withResolvers<void>()
    let posts = 0
    await page.route('**/cart', async (route) => {
      if (route.request().method() !== 'POST' || ++posts > 1) return route.continue()
      // The response never arrives.
      await route.fetch()
      posted.resolve()
    })
    await save('sail', '61')
    await shows('sail', '61 submitting')
    await posted.promise
    await save('sail', '1.5')
    await item('sail').getByText('Enter a whole number.').waitFor()
    tab.seen(422)
    await shows('sail', '61 idle Enter a whole number.')
    t.match(await untilAborted(tab, 1), ['/cart'])
  }
)

t.test('`submit` throws for a URL on another origin, and sends nothing', async (t) => {
  const { tab, page, item } = await openCart(t)
  await item('sail').getByRole('button', { name: 'Send elsewhere' }).click()
  t.match(await page.title(), /^TypeError: .*https:\/\/elsewhere\.example/)
  t.notOk(tab.requests.some((request) => request.method() === 'POST' && request.url().includes('/cart')))
})

t.test('without JavaScript, the form of a fetcher is sent as a document', async (t) => {
  const { page, open, press, seen } = await openTab(t, browser, { origin, javaScriptEnabled: false })
  await open('/cart')
  const sail = page.getByLabel('sail', { exact: true })
  await sail.getByLabel('Count').fill('x')
  await press(sail.getByRole('button', { name: 'Save' }))
  t.match(await page.getByRole('alert').innerText(), /expected number/)
  seen(422)
  await sail.getByLabel('Count').fill('51')
  await press(sail.getByRole('button', { name: 'Save' }))
  t.match(await sail.locator('output').innerText(), '51 idle')
})
