import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, textOf, until } from '@hull/test-helpers/browser.ts'
import { startDevServer } from '@hull/test-helpers/dev-server.ts'
import { buildSite } from '@hull/test-helpers/site.ts'
import { PARTS, removePart } from '../../../create-hull/src/remove.ts'

const FIXTURE = join(import.meta.dirname, '../fixtures/coming-from-fastify-react')
const LOANS = ['First book', 'Second book']

const site = await buildSite(FIXTURE)
const { origin } = await createListeningApp(t, {
  site,
  prepare: (app) => app.decorate('loans', LOANS)
})
const browser = await launchBrowser(t)

/** Every page of the fixture that renders a text, with the text. */
const PAGES = [
  ['/catalogue', 'First book'],
  ['/loans', 'Second book'],
  ['/card', 'Show the card'],
  ['/reader/7?tab=notes', 'Reader 7 by GET, 7, notes'],
  ['/shelf/a/b', 'Shelf a then b'],
  ['/in/French', 'Books in French'],
  ['/head', 'Nine to five'],
  ['/pressure', 'Rendered by the browser alone'],
  ['/only', 'Drawn in the browser'],
  ['/streamed', 'The archive answers']
] as const

t.test('pages written for @fastify/react, in a browser', async (t) => {
  await t.test('each hydrates without a warning', async (t) => {
    const { page, open } = await openTab(t, browser, { origin })
    for (const [path, text] of PAGES) {
      await open(path)
      await until(page, (wanted) => document.body.innerText.includes(wanted), text)
      await hydrated(page)
    }
  })

  await t.test('each is reached by a navigation without a document', async (t) => {
    const { page, open, pathsOf } = await openTab(t, browser, { origin })
    await open('/')
    await hydrated(page)
    t.match(await textOf(page), 'Set while rendering')
    for (const [path, text] of PAGES) {
      const link = page.locator(`a[href="${path}"]`)
      if ((await link.count()) === 0) continue
      await link.click()
      await until(page, (wanted) => document.body.innerText.includes(wanted), text)
      await page.goBack()
      await until(page, () => document.body.innerText.includes('Set while rendering'))
    }
    t.same(pathsOf('document'), ['/'])
  })

  await t.test('a navigation keeps the state, and actions change what the page shows', async (t) => {
    const { page, open } = await openTab(t, browser, { origin })
    await open('/loans')
    await hydrated(page)
    await page.getByText('Borrow').click()
    await until(page, () => document.body.innerText.includes('Third book'))
    await page.getByText('Home').click()
    await until(page, () => location.pathname === '/')
    await page.locator('a[href="/loans"]').click()
    await until(page, () => document.body.innerText.includes('Third book'))
  })

  await t.test('a layout admits a visitor who is signed in by the state', async (t) => {
    const { page, open } = await openTab(t, browser, { origin })
    await open('/card')
    await hydrated(page)
    await page.getByText('Show the card').click()
    await until(page, () => document.body.innerText.includes('Card of a reader, layout auth'))
  })

  await t.test('onEnter runs in the browser only for a navigation', async (t) => {
    const { page, open } = await openTab(t, browser, { origin })
    await open('/enter')
    await hydrated(page)
    t.equal(await textOf(page), 'Atlas entered on the server, true, true')
    t.equal(await page.title(), 'Entered Atlas')
    await open('/')
    await hydrated(page)
    await page.locator('a[href="/enter"]').click()
    await until(page, () => document.body.innerText.includes('entered'))
    t.equal(await textOf(page), 'Atlas entered on the browser, false, false')
    t.equal(await page.title(), 'Entered Atlas')
  })

  await t.test('tags and attributes of a page exist while the page is shown', async (t) => {
    const { page, open } = await openTab(t, browser, { origin })
    const read = () =>
      page.evaluate(() => ({
        lang: document.documentElement.lang,
        classes: document.body.className,
        author: document.querySelector('meta[name="author"]')?.getAttribute('content') ?? null,
        title: document.title
      }))
    const shown = { lang: 'fr', classes: 'wide calm', author: 'The "librarian"', title: 'Opening hours | Library' }
    const home = { lang: 'en', classes: '', author: null, title: 'Lending library' }
    await open('/')
    await hydrated(page)
    t.same(await read(), home)
    await page.locator('a[href="/head"]').click()
    await until(page, () => document.body.innerText.includes('Nine to five'))
    t.same(await read(), shown)
    await page.goBack()
    await until(page, () => location.pathname === '/' && document.title === 'Lending library')
    t.same(await read(), home)
    await open('/head')
    await hydrated(page)
    t.same(await read(), shown)
  })

  await t.test('a function and lists change the query, as in react-router', async (t) => {
    const { page, open, pathsOf } = await openTab(t, browser, { origin })
    await open('/reader/7?tab=notes')
    await hydrated(page)
    const length = await page.evaluate(() => history.length)
    for (const [name, query] of [
      ['Sort', 'tab=notes&by=title'],
      ['Sort', 'tab=notes&by=title&by=title'],
      ['Sort by author and title', 'by=author&by=title']
    ] as const) {
      await page.getByRole('button', { name, exact: true }).click()
      await until(page, (wanted) => document.querySelector('#query')!.textContent === wanted, query)
      t.equal(page.url(), `${origin}/reader/7?${query}`)
    }
    t.equal(await page.evaluate(() => history.length), length + 1, 'only the last change adds a history entry')
    t.same(pathsOf('document'), ['/reader/7?tab=notes'])
  })

  await t.test('a server action has the same address on server and browser', async (t) => {
    const { page, open } = await openTab(t, browser, { origin })
    await open('/counter')
    await hydrated(page)
    await page.getByText('Counted 0').click()
    await until(page, () => /Counted [1-9]/.test(document.body.innerText))
  })

  await t.test('the pages can be read without JavaScript', async (t) => {
    const { page, open } = await openTab(t, browser, { origin, javaScriptEnabled: false })
    await open('/')
    await page.locator('a[href="/catalogue"]').click()
    await page.waitForURL('**/catalogue')
    t.match(await textOf(page), 'First book')
    await open('/paper')
    t.match(await textOf(page), 'Printed on the server')
  })
})

t.test('the same pages work in development', async (t) => {
  const { origin } = await startDevServer(t, {
    prepare(root) {
      removePart(root, PARTS.lab)
      removePart(root, PARTS.inbox)
      for (const folder of ['pages', 'layouts']) rmSync(join(root, 'client', folder), { recursive: true })
      cpSync(FIXTURE, join(root, 'client'), { recursive: true })
      const server = join(root, 'server.ts')
      const registered = 'await app.register(replyClose)\n'
      const code = readFileSync(server, 'utf8')
      if (!code.includes(registered)) throw new Error(`server.ts has no line ${registered}`)
      writeFileSync(server, code.replace(registered, `${registered}app.decorate('loans', ${JSON.stringify(LOANS)})\n`))
    }
  })
  const { page, open, pathsOf } = await openTab(t, browser, { origin })
  await open('/loans')
  await hydrated(page)
  await page.getByText('Borrow').click()
  await until(page, () => document.body.innerText.includes('Third book'))
  await page.getByText('Home').click()
  await until(page, () => location.pathname === '/')
  await page.locator('a[href="/enter"]').click()
  await until(page, () => document.body.innerText.includes('Atlas entered on the browser, false, false'))
  t.same(pathsOf('document'), ['/loans'])
  const refused = await fetch(`${origin}/-/data/hooks`)
  t.equal(refused.status, 403)
  const cached = await fetch(`${origin}/branches`)
  t.match(await cached.text(), '2 loans at the branch')
})
