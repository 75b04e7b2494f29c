import { join } from 'node:path'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { LIBRARY_CSP, LIBRARY_PAGES } from '@hull/test-helpers/library-pages.ts'
import { untilArrived, follow } from '@hull/test-helpers/navigation.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const site = await buildSite(join(import.meta.dirname, '../fixtures/libraries'))
const { origin, app, logs } = await createListeningApp(t, { site, env: { CSP: LIBRARY_CSP } })
const browser = await launchBrowser(t)

t.test('component libraries work', async (t) => {
  for (const { path, title, use } of LIBRARY_PAGES) {
    t.test(`${title} by document`, async (t) => {
      const { page, open } = await openTab(t, browser, { origin })
      await open(path)
      await hydrated(page)
      await page.getByRole('heading', { name: title }).waitFor()
      await use(page)
    })

    t.test(`${title} by navigation`, async (t) => {
      const { page, open, pathsOf } = await openTab(t, browser, { origin })
      await open('/')
      await hydrated(page)
      await page.getByRole('link', { name: path.slice(1), exact: true }).click()
      await page.getByRole('heading', { name: title }).waitFor()
      await use(page)
      t.same(pathsOf('document'), ['/'])
    })
  }
})

t.test('the notice of a failed form is above the dialog of a library, and readable and clickable', async (t) => {
  const { page, open, seen } = await openTab(t, browser, { origin })
  await open('/radix')
  await hydrated(page)
  await page.getByRole('button', { name: 'Open' }).click()
  await page.evaluate(() => {
    Object.assign(document.getElementById('overlay')!.style, { position: 'fixed', inset: '0', zIndex: '1300' })
    Object.assign(document.querySelector<HTMLElement>('[role=dialog]')!.style, { position: 'fixed', zIndex: '1300' })
  })
  await page.getByRole('button', { name: 'Send' }).click()
  seen(401)
  const popup = page.waitForEvent('popup')
  await page.getByRole('alert').getByRole('link', { name: 'Sign in' }).click()
  await (await popup).waitForURL('**/plain?return=%2Fradix')
})

t.test('a title that a component renders applies to its page only', async (t) => {
  const { page, open, pathsOf } = await openTab(t, browser, { origin })
  const go = async (path: string, heading: string) => {
    await follow(page, path)
    await untilArrived(page, path, heading)
  }
  for (const first of ['/titled', '/meta', '/']) {
    await open(first)
    await hydrated(page)
    await go('/titled?again', 'Titled')
    t.equal(await page.title(), 'Own title 0', `after ${first}`)
    await page.getByRole('button').click()
    await until(page, () => document.title === 'Own title 1')
    await go('/meta', 'Meta')
    t.equal(await page.title(), 'Title of getMeta')
    await go('/titled', 'Titled')
    t.equal(await page.title(), 'Own title 0')
    await go('/', 'Libraries')
    t.equal(await page.title(), '', 'this page has no title')
  }
  t.same(pathsOf('document'), ['/titled', '/meta', '/'])
})

t.test('the content security policy still refuses inline scripts and styles without the nonce', async (t) => {
  const { headers, body } = await app.inject('/mui')
  const policy = String(headers['content-security-policy'])
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1]
  t.match(policy, /script-src 'self' ('sha256-[^ ]+ )?'nonce-[\w-]+'/)
  t.match(policy, /style-src 'self' 'nonce-[\w-]+'/)
  t.notMatch(policy, /(script|style)-src [^;]*'unsafe-inline'/)
  t.ok(nonce !== undefined && body.includes(`nonce="${nonce}"`))
})

t.test('a page with `cache` fails if its layout uses a nonce', async (t) => {
  const response = await app.inject('/cached')
  t.equal(response.statusCode, 500)
  t.match(logs.takeErrors(), [{ err: { code: 'APP_PAGE_CACHE_PRIVATE', message: /useNonce\(\)/ } }])
})

t.test('a navigation to a path without a page loads a document if the fallback needs a nonce', async (t) => {
  const { page, open, pathsOf, seen } = await openTab(t, browser, { origin })
  await open('/plain')
  await hydrated(page)
  await follow(page, '/nobody-knows-it')
  await untilArrived(page, '/nobody-knows-it', 'Not found')
  t.same(pathsOf('document'), ['/plain', '/nobody-knows-it'])
  seen(404)
})
