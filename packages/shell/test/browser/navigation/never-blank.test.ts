import type { Page } from 'playwright'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { untilArrived, follow } from '@hull/test-helpers/navigation.ts'

const browser = await launchBrowser(t)
const { origin, logs } = await createListeningApp(t, { env: { RENDER_TIMEOUT: '2s' } })

/** Records the heading of the page on every change; an empty text means that the page was blank. */
const watch = (page: Page) =>
  page.evaluate(() => {
    const frames: string[] = ((window as { frames?: unknown }).frames = [])
    const note = () => frames.push(document.querySelector('main h1')?.textContent ?? '')
    new MutationObserver(note).observe(document.getElementById('root')!, {
      childList: true,
      subtree: true,
      characterData: true
    })
  })
const framesOf = (page: Page) => page.evaluate(() => (window as { frames?: unknown }).frames as string[])

t.test('the previous page is shown until the next one is ready, if', async (t) => {
  for (const [name, from, to, heading] of [
    ['both have the same layouts', '/lab', '/lab/items', 'Items'],
    ['the next has other layouts', '/', '/lab/slow?ms=300', 'Slow'],
    ['the next has `clientOnly`', '/lab', '/lab/client', 'In the browser only'],
    ['the next is refused', '/lab', '/lab/forbidden', 'Not allowed'],
    ['the next fails', '/lab', '/lab/error/data', 'Application error'],
    ['the next fails in the browser', '/', '/lab/error/hydrate', 'Application error'],
    ['the next redirects', '/lab/slow?ms=0', '/lab/redirect', 'Items'],
    ['the next is a document', '/lab', '/lab/document', 'A document'],
    ['the next suspends', '/', '/lab/stream', 'Bow shackle 8 mm']
  ] as const) {
    t.test(name, async (t) => {
      const { page, open, take, pathsOf } = await openTab(t, browser, { origin })
      await open(from)
      await hydrated(page)
      await watch(page)
      await follow(page, to)
      await untilArrived(page, to === '/lab/redirect' ? '/lab/items' : to, heading)
      const frames = await framesOf(page)
      t.ok(frames.length > 0)
      t.notOk(frames.includes(''), frames.join(' | '))
      t.same(pathsOf('document'), [from])
      logs.takeErrors()
      await take()
    })
  }
})

t.test('a page that never stops suspending is loaded as a document, which shows the error', async (t) => {
  for (const from of ['/', '/lab']) {
    t.test(`from ${from}`, async (t) => {
      const { page, open, seen, take, pathsOf } = await openTab(t, browser, { origin })
      await page.clock.install()
      await open(from)
      await hydrated(page)
      await watch(page)
      const chunk = page.waitForEvent('requestfinished', (request) => request.url().includes('/assets/never-'))
      await follow(page, '/lab/never')
      await chunk
      await page.locator('.shell-progress').waitFor()
      t.notOk((await framesOf(page)).includes(''))
      await page.clock.fastForward(11_000)
      await untilArrived(page, '/lab/never', 'Application error')
      t.equal(await page.locator('.digest').innerText(), `Digest: ${logs.takeErrors()[0]?.digest}`)
      t.same(pathsOf('document'), [from, '/lab/never'])
      seen(500)
      t.match(await take(), [/TimeoutError/])
    })
  }
})
