import { join } from 'node:path'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

/* An application with pages and a `client/browser.ts`, and nothing else. */
const site = await buildSite(join(import.meta.dirname, '../fixtures/bare'), { bare: true })
const { app, logs, origin } = await createListeningApp(t, { site })
const browser = await launchBrowser(t)

declare global {
  interface Window {
    events: string[]
    digest?: string
  }
}

t.test('without client/fallbacks, the shell shows its own fallbacks', async (t) => {
  const missing = await app.inject({ url: '/nowhere', headers: { accept: 'text/html' } })
  t.equal(missing.statusCode, 404)
  t.match(missing.body, /<main class="frame-main"><section class="fallback">.*<h1>Not found<\/h1>/)
  const refused = await app.inject({ url: '/', method: 'POST', headers: { accept: 'text/html' } })
  t.equal(refused.statusCode, 405)
  t.match(refused.body, /<code>APP_METHOD_NOT_ALLOWED<\/code>/)
  const failed = await app.inject({ url: '/items/broken', headers: { accept: 'text/html', host: 'example.org' } })
  t.equal(failed.statusCode, 500)
  t.match(failed.body, 'exception has occurred while loading example.org')
  const [line] = logs.takeErrors()
  t.match(failed.body, `Digest: ${String(line!.digest)}`)
})

t.test('client/browser.ts receives the events of the shell', async (t) => {
  const { page, open, take, pathsOf } = await openTab(t, browser, { origin })
  /** Returns the events since the last call. */
  const events = () => page.evaluate(() => window.events.splice(0))
  await open('/')
  await hydrated(page)
  t.same(await events(), [])

  await page.getByRole('link', { name: 'Seven' }).hover()
  await until(page, () => window.events.length === 1)
  await page.getByRole('link', { name: 'Seven' }).click()
  await until(page, () => document.querySelector('h1')?.textContent === 'Item 7')
  await until(page, () => window.events.some((event) => event.startsWith('end')))
  t.same(await events(), [
    'prefetch /items/[id]',
    'start /items/[id] /items/7 prefetched',
    'end /items/[id] of /items/7'
  ])
  t.match(await take(), ['uncaught: a listener failed'], 'an error in a listener is an error of the page')

  await page.goBack()
  await until(page, () => document.querySelector('h1')?.textContent === 'Bare')
  await events()
  await page.getByRole('link', { name: 'Slow' }).click()
  await page.getByRole('link', { name: 'Seven' }).click()
  await until(page, () => window.events.some((event) => event.startsWith('end /items')))
  const aborted = (await events()).filter((event) => event.includes('/slow'))
  t.match(aborted, ['start /slow /slow', 'end aborted of /slow'])

  await page.goBack()
  await until(page, () => document.querySelector('h1')?.textContent === 'Bare')
  await events()
  await page.getByRole('button', { name: 'Break' }).click()
  await page.getByText('exception has occurred').waitFor()
  t.match(await events(), ['error broken on purpose true'])
  t.match(await page.locator('.digest').innerText(), await page.evaluate(() => window.digest!))
  t.ok((await take()).some((problem) => problem.includes('broken on purpose')))

  await open('/')
  await hydrated(page)
  await page.getByRole('link', { name: 'Alone' }).click()
  await until(page, () => document.querySelector('h1')?.textContent === 'Alone')
  t.equal(pathsOf('document').at(-1), '/alone', 'the page is loaded as a document')
})
