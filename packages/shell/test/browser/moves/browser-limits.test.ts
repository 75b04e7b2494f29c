import t from 'tap'
import { failed, startBreaking } from '@hull/test-helpers/breaking.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { stored } from '@hull/test-helpers/inbox.ts'
import { monitored } from '@hull/test-helpers/monitored.ts'
import { untilArrived, follow } from '@hull/test-helpers/navigation.ts'

const browser = await launchBrowser(t)
const { app, origin } = await startBreaking(t, { env: { INBOX: 'on' } })

t.test('a browser without storage navigates, and reports errors', async (t) => {
  const { page, open, take } = await openTab(t, browser, { origin })
  await page.addInitScript(() => {
    for (const name of ['sessionStorage', 'localStorage'])
      Object.defineProperty(self, name, {
        get() {
          throw new DOMException('The operation is insecure.', 'SecurityError')
        }
      })
  })
  await open('/')
  await hydrated(page)
  await follow(page, '/page/1')
  await untilArrived(page, '/page/1', 'Page 1')
  await follow(page, '/thrown/effect/home')
  await untilArrived(page, '/', 'Home')
  await monitored(page)
  t.same(
    (await take()).filter((line) => !line.includes('net::ERR_ABORTED')),
    []
  )
  const before = app.inbox!.stats().stored.event ?? 0
  await follow(page, '/ring/a?by=render')
  await failed(page)
  await stored(app, 'event', before + 1)
  t.match(await page.locator('.digest').innerText(), /^Digest: /)
  await take()
})

t.test('a browser that refuses further changes of the history loads documents', async (t) => {
  const { page, open, pathsOf, take } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  await page.evaluate(() => {
    for (const name of ['pushState', 'replaceState'] as const)
      history[name] = () => {
        throw new DOMException('Attempt to use history.pushState() more than 100 times per 30 seconds', 'SecurityError')
      }
  })
  await follow(page, '/page/1')
  await page.waitForURL('**/page/1')
  await hydrated(page)
  t.equal(await page.locator('h1').innerText(), 'Page 1')
  t.same(pathsOf('document'), ['/', '/page/1'])
  await page.goBack()
  await untilArrived(page, '/', 'Home')
  t.match((await take()).join('\n'), 'does not let the history change')
})

t.test('a document whose history state cannot be written hydrates', async (t) => {
  const { page, open, take } = await openTab(t, browser, { origin })
  await page.addInitScript(() => {
    history.replaceState = () => {
      throw new DOMException('too often', 'SecurityError')
    }
  })
  await open('/page/1')
  await hydrated(page)
  await page.getByRole('button', { name: 'alive 0' }).click()
  await page.getByRole('button', { name: 'alive 1' }).waitFor()
  await take()
})

t.test('going back to a page whose script is missing loads its document, once', async (t) => {
  const { page, open, pathsOf, take } = await openTab(t, browser, { origin })
  await open('/page/1')
  await hydrated(page)
  await follow(page, '/thrown/never/thrown')
  await untilArrived(page, '/thrown/never/thrown', 'Thrown')
  // After a reload, the page to return to is not in memory and must be loaded.
  await page.reload()
  await hydrated(page)
  // Intercepted requests bypass the browser's cache, which would have the script.
  await page.route('**/assets/_id_*.js', (route) =>
    pathsOf('document').length < 3 ? route.fulfill({ status: 404 }) : route.continue()
  )
  await page.goBack()
  await untilArrived(page, '/page/1', 'Page 1')
  await hydrated(page)
  t.same(pathsOf('document'), ['/page/1', '/thrown/never/thrown', '/page/1'])
  await take()
})

t.test('hovering over a link with an invalid URL causes no error', async (t) => {
  const { page, open, take } = await openTab(t, browser, { origin })
  await open('/malformed')
  await hydrated(page)
  await page.locator('a').scrollIntoViewIfNeeded()
  await page.locator('a').hover()
  await page.waitForTimeout(200)
  t.equal(await page.locator('h1').innerText(), 'Malformed')
  t.same(await take(), [])
})

t.test('a custom fallback that fails is replaced by the error message, and its error is reported', async (t) => {
  const { page, open, take } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  await monitored(page)
  const before = app.inbox!.stats().stored.event ?? 0
  await follow(page, '/forbidden')
  await page
    .getByRole('alert')
    .filter({ hasText: /Application error/ })
    .waitFor()
  t.equal(await page.getByRole('button', { name: 'alive' }).count(), 1)
  await stored(app, 'event', before + 1)
  t.match((await take()).join('\n'), 'the fallback is broken')
})
