import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Page } from 'playwright'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { BASE_PATH_SITE, CDN } from '@hull/test-helpers/base-path.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { follow } from '@hull/test-helpers/navigation.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const browser = await launchBrowser(t)
const site = await buildSite(...BASE_PATH_SITE)
const { origin } = await createListeningApp(t, { site, env: { INBOX: 'on' } })

const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }

/** Responds for the CDN with the files of the build. @returns requested paths, which grow with each request */
async function openCdn(page: Page, change: (path: string, body: string) => string = (_path, body) => body) {
  const requested: string[] = []
  await page.route(`${CDN}/**`, (route) => {
    const path = new URL(route.request().url()).pathname.replace('/files/', '')
    requested.push(path)
    return route.fulfill({
      body: change(path, readFileSync(join(site.dist, 'client', path), 'utf8')),
      headers: { 'content-type': TYPES[extname(path)]!, 'access-control-allow-origin': '*' }
    })
  })
  return requested
}

const heading = (page: Page) => page.locator('h1').innerText()
const shows = (page: Page, text: string) =>
  until(page, (text) => document.querySelector('h1')?.innerText === text, text)

t.test('the home page without a trailing slash has page data', async (t) => {
  const { page, open, pathsOf } = await openTab(t, browser, { origin })
  await openCdn(page)
  await open('/shop')
  await hydrated(page)
  await follow(page, '/shop?again')
  await until(page, () => location.search === '?again')
  t.same(pathsOf('document'), ['/shop'])
})

t.test('pages work below a prefix, with their files on a CDN', async (t) => {
  const { page, open, requests, pathsOf } = await openTab(t, browser, { origin })
  const requested = await openCdn(page)
  await open('/shop/')
  await hydrated(page)
  t.equal(await heading(page), 'Home at /, /, 200')
  t.ok(requested.some((path) => path.endsWith('.js')))
  await until(
    page,
    () => [...document.images].length === 2 && [...document.images].every((image) => image.naturalWidth > 0)
  )

  await page.getByRole('button', { name: 'Ready' }).click()
  await page.getByRole('button', { name: 'Ready: 200' }).waitFor()
  await page.getByRole('link', { name: 'Cart' }).click()
  await shows(page, '0 in the cart at /cart')
  t.equal(page.url(), `${origin}/shop/cart`)
  t.equal(await page.locator('h1').evaluate((element) => getComputedStyle(element).color), 'rgb(0, 80, 0)')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await shows(page, '1 in the cart at /cart')
  await page.getByRole('button', { name: 'Add by fetcher' }).click()
  await shows(page, '2 in the cart at /cart')
  await page.getByRole('button', { name: 'Add and leave' }).click()
  await shows(page, 'Home at /, /, 200')
  t.equal(page.url(), `${origin}/shop/`)
  t.equal(await page.getByRole('link', { name: 'Home' }).getAttribute('href'), '/shop/')
  await page.getByRole('button', { name: 'Go by navigate' }).click()
  await shows(page, '3 in the cart, from the button at /cart')
  await page.goBack()
  await shows(page, 'Home at /, /, 200')
  t.same(pathsOf('document'), ['/shop/'], 'every navigation was without a document')

  const [cookie] = await page.context().cookies()
  t.match(cookie, { name: 'session', path: '/shop' })
  const own = requests.map((request) => new URL(request.url())).filter((url) => url.origin === origin)
  t.same(
    own.filter(({ pathname }) => !pathname.startsWith('/shop')),
    [],
    'no URL outside of the prefix is requested'
  )
})

t.test('the address of a blocked navigation has no prefix', async (t) => {
  const { page, open } = await openTab(t, browser, { origin })
  await openCdn(page)
  await open('/shop/cart?unsaved')
  await hydrated(page)
  await follow(page, '/shop/?a=b#c')
  t.equal(await page.getByText('Leave for').innerText(), 'Leave for /?a=b#c?')
})

t.test('links to a page that redirects and to a page without script work', async (t) => {
  const { page, open } = await openTab(t, browser, { origin })
  await openCdn(page)
  await open('/shop/old')
  await shows(page, '0 in the cart, from the redirect at /cart')
  await hydrated(page)
  for (const [href, text] of [
    ['/shop/old', '0 in the cart, from the redirect at /cart'],
    ['/shop/quiet', 'Without script']
  ] as const) {
    await page.getByRole('link', { name: 'Home' }).click()
    await shows(page, 'Home at /, /, 200')
    await page
      .locator('nav a')
      .first()
      .evaluate((link: HTMLAnchorElement, to) => (link.href = to), href)
    await page.getByRole('link', { name: 'Home' }).click()
    await shows(page, text)
    await open('/shop/cart')
    await hydrated(page)
  }
})

t.test('forms and links work without JavaScript', async (t) => {
  const { page, open } = await openTab(t, browser, { origin, javaScriptEnabled: false })
  await openCdn(page)
  await open('/shop/')
  await page.getByRole('link', { name: 'Cart' }).click()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  t.equal(await heading(page), '1 in the cart at /cart')
  await page.getByRole('button', { name: 'Add and leave' }).click()
  t.equal(await heading(page), 'Home at /, /, 200')
  t.equal(page.url(), `${origin}/shop/`)
})

t.test('does not run a file that the CDN changed', async (t) => {
  const { page, open, take } = await openTab(t, browser, { origin })
  await openCdn(page, (path, body) => (path.endsWith('.js') ? `document.title = 'Changed';${body}` : body))
  await open('/shop/cart')
  t.equal(await page.title(), 'Cart')
  t.match((await take()).join(), 'integrity')
})
