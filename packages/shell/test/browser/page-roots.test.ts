import { join } from 'node:path'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

/* A second page root below /handbook, and a Vite plugin and a setting of the application beside hull(). */
const site = await buildSite(join(import.meta.dirname, '../fixtures/roots'), {
  roots: [{ folder: 'handbook', prefix: '/handbook' }],
  vite: {
    define: { TEAM_NAME: '"Harbour"' },
    plugins: [
      {
        name: 'team',
        resolveId: (source) => (source === 'virtual:team' ? '\0virtual:team' : undefined),
        load: (id) => (id === '\0virtual:team' ? 'export const label = "Crew"' : undefined)
      }
    ]
  }
})
const { app, origin } = await createListeningApp(t, { site })
const browser = await launchBrowser(t)
const ask = async (url: string) => (await app.inject({ url, headers: { accept: 'text/html' } })).body
const stylesheets = (html: string) => html.match(/<link rel="stylesheet"/g)?.length ?? 0

t.test('a Vite plugin and a setting of the application have effect on both sides', async (t) => {
  t.match(await ask('/'), 'Crew of Harbour and Harbour')
  const { page, open } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  t.equal(await page.locator('p').innerText(), 'Crew of Harbour and Harbour')
})

t.test('pages of a root have its prefix and its layouts', async (t) => {
  t.match(await ask('/'), /<main data-frame="application">.*Application/)
  t.match(await ask('/handbook'), /<main class="handbook" data-frame="handbook">.*<h1>Handbook/)
  t.match(await ask('/handbook/chapters/7'), /data-frame="handbook"><article>.*<h1>Chapter 7/)
  t.match(await ask('/handbook/table/1'), '<h1>Contents</h1>', 'the path of a page is relative to the prefix')
  const { statusCode } = await app.inject('/table/1')
  t.equal(statusCode, 404)
})

t.test('an error in a root is shown in its own layout', async (t) => {
  t.match(await ask('/handbook/nowhere'), /data-frame="handbook">.*Not found/)
  t.match(await ask('/nowhere'), /data-frame="application">.*Not found/)
  const { statusCode, body } = await app.inject({ method: 'POST', url: '/handbook', headers: { accept: 'text/html' } })
  t.equal(statusCode, 405)
  t.match(body, /data-frame="handbook">.*405/)
})

t.test('the styles of a root are loaded on its pages only', async (t) => {
  t.equal(stylesheets(await ask('/handbook')), stylesheets(await ask('/')) + 1)
})

t.test('a navigation leads from one root to another', async (t) => {
  const { page, open, pathsOf } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  await page.getByRole('link', { name: 'Chapter 2' }).click()
  await until(page, () => document.querySelector('article h1')?.textContent === 'Chapter 2')
  t.equal(await page.locator('main').evaluate((main) => getComputedStyle(main).color), 'rgb(1, 2, 3)')
  t.same(pathsOf('document'), ['/'])
})
