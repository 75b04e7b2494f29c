import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, textOf } from '@hull/test-helpers/browser.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const EXAMPLE = join(import.meta.dirname, '../../../../docs/examples/languages/client')
const browser = await launchBrowser(t)
const site = await buildSite(EXAMPLE)
const { app, origin } = await createListeningApp(t, { site })

for (const javaScriptEnabled of [true, false]) {
  const open = async (t: Test, path: string, status?: number) => {
    const tab = await openTab(t, browser, { origin, javaScriptEnabled, locale: 'pl', timezoneId: 'Pacific/Auckland' })
    await tab.open(path, status)
    if (javaScriptEnabled && status === undefined) await hydrated(tab.page)
    return tab
  }

  t.test(`the application of docs/languages.md ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async (t) => {
    t.test('starts in the language of the browser, and changes the language of the current page', async (t) => {
      const { page } = await open(t, '/')
      t.equal(new URL(page.url()).pathname, '/pl/ropes')
      t.equal(await page.title(), 'Liny · Sklep żeglarski')
      await page.goto('/pl/ropes?count=5')
      if (javaScriptEnabled) await hydrated(page)
      t.match(await textOf(page), '5 lin w magazynie')
      await page.getByRole('link', { name: 'Deutsch' }).click()
      await page.getByText('5 Seile am Lager').waitFor()
      t.equal(new URL(page.url()).search, '?count=5')
      t.equal(await page.title(), 'Seile · Schiffsbedarf')
      t.equal(await page.locator('html').getAttribute('lang'), 'de')
      t.equal(await page.locator('[aria-current=true]').innerText(), 'Deutsch')
      const text = (await textOf(page)).replaceAll('\u00A0', ' ')
      t.match(text, 'Dyneema: 1.234,50 € je Meter, seit 2. März 2026', 'uses the time zone of the site')
    })

    t.test('refuses a form in the language of the page, and keeps the language afterwards', async (t) => {
      const { page, seen } = await open(t, '/de/order')
      await page.getByLabel('Meter').fill('0')
      await page.getByRole('button', { name: 'Senden' }).click()
      await page.locator('#metres-error', { hasText: 'Geben Sie eine ganze Zahl ab 1 ein.' }).waitFor()
      seen(422)
      t.match(await page.getByRole('alert').innerText(), 'Ihre Bestellung wurde nicht gesendet. Prüfen Sie ein Feld:')
      await page.getByLabel('Meter').fill('1200')
      await page.getByRole('button', { name: 'Senden' }).click()
      await page.getByText('Danke. Wir schneiden 1.200 m.').waitFor()
      await page.getByRole('link', { name: 'Seile', exact: true }).click()
      await page.getByText('2 Seile am Lager').waitFor()
    })

    t.test('has a 404 in each language', async (t) => {
      const { page } = await open(t, '/pl/nowhere', 404)
      t.equal(await page.getByRole('heading').innerText(), 'Nie ma takiej strony.')
      t.equal(await page.locator('html').getAttribute('lang'), 'pl')
    })
  })
}

t.test('a notice of the shell is in the language of the page', async (t) => {
  const tab = await openTab(t, browser, { origin })
  await tab.open('/de/order')
  await hydrated(tab.page)
  await tab.page.route('**/de/order', (route) => route.abort())
  await tab.page.getByLabel('Meter').fill('7')
  await tab.page.getByRole('button', { name: 'Senden' }).click()
  await tab.page.getByText('Das Formular konnte nicht gesendet werden.').waitFor()
  t.equal(await tab.page.getByLabel('Meter').inputValue(), '7')
  await tab.take()
})

t.test('a page in a language that the site does not have returns 404', async (t) => {
  for (const path of ['/xx/ropes', '/xx/nowhere', '/toString/ropes', '/DE/ropes'])
    t.equal((await app.inject(path)).statusCode, 404, path)
})

t.test('the header Accept-Language selects the language only at /', async (t) => {
  const get = (url: string, language: string) => app.inject({ url, headers: { 'accept-language': language } })
  for (const [language, path] of [
    ['de-CH, en;q=0.5', '/de/ropes'],
    ['fr, pl;q=0.2', '/pl/ropes'],
    ['fr', '/en/ropes'],
    ['*', '/en/ropes'],
    [';;q=x,,', '/en/ropes']
  ] as const) {
    const { statusCode, headers } = await get('/', language)
    t.match({ statusCode, ...headers }, { statusCode: 302, location: path }, language)
    t.match(headers.vary, /accept-language/i, 'caches store a response per language')
  }
  t.match((await get('/en/ropes', 'de')).body, '2 ropes in stock')
})

t.test('links and the sitemap list the page in each language for search engines', async (t) => {
  const { body } = await app.inject('/de/ropes')
  for (const [language, path] of [
    ['en', 'en'],
    ['de', 'de'],
    ['pl', 'pl'],
    ['x-default', 'en']
  ])
    t.match(body, new RegExp(`<link[^>]*hreflang="${language}"[^>]*href="http://localhost(:\\d+)?/${path}/ropes"`))
  const listed = await Array.fromAsync(app.pages.sitemap(), ({ path }) => new URL(path, origin).pathname)
  t.same(listed.sort(), ['/de/order', '/de/ropes', '/en/order', '/en/ropes', '/pl/order', '/pl/ropes'])
})

t.test('the browser receives only the messages of its language', async (t) => {
  const { body } = await app.inject('/de/ropes')
  t.match(body, 'Schiffsbedarf')
  t.notMatch(body, /Sklep żeglarski|Chandlery/)
  const assets = join(site.dist, 'client/assets')
  for (const file of readdirSync(assets))
    t.notMatch(readFileSync(join(assets, file), 'utf8'), /Schiffsbedarf|Sklep|Chandlery/, file)
})
