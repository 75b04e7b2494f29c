import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, textOf } from '@hull/test-helpers/browser.ts'
import { LAB_PAGES } from '@hull/test-helpers/lab-pages.ts'

const browser = await launchBrowser(t)

t.test('documents', async (t) => {
  const { origin, logs } = await createListeningApp(t)
  const tab = await openTab(t, browser, { origin })
  const scriptless = await openTab(t, browser, { origin, javaScriptEnabled: false })

  for (const { path, status = 200, title, text, plain = false, varies = false } of LAB_PAGES) {
    t.test(`${path} has the same text with and without JavaScript, and hydrates`, async (t) => {
      tab.requests.length = 0
      await tab.open(path, status)
      if (!plain) await hydrated(tab.page)
      t.equal(await tab.page.title(), title)
      const read = await textOf(tab.page)
      t.ok(read.includes(text), `the page has the text "${text}"`)
      t.same(tab.pathsOf('fetch'), [], 'the document has the page data')
      if (plain) t.same(tab.pathsOf('script'), [], 'the page has no script')

      await scriptless.open(path, status)
      t.equal(await scriptless.page.title(), title)
      // A script moves streamed content into place.
      const without = path === '/lab/stream' ? await scriptless.page.content() : await textOf(scriptless.page)
      t.ok(without.includes(text), `the page has the text "${text}" without JavaScript`)
      if (!varies && path !== '/lab/stream') t.equal(without, read)

      const digests = logs.takeErrors().map(({ digest }) => digest)
      t.equal(digests.length, status === 500 ? 2 : 0)
      if (status === 500) t.match(read, `Digest: ${digests[0]}`)
      t.same([...(await tab.take()), ...(await scriptless.take())], [], 'the browser reports no problem')
    })
  }
})

t.test('a cached page is rendered again after its form has invalidated it, with and without JavaScript', async (t) => {
  const { origin } = await createListeningApp(t)
  for (const javaScriptEnabled of [true, false]) {
    const { page, open, take } = await openTab(t, browser, { origin, javaScriptEnabled })
    const readRender = () => page.locator('dd').nth(1).innerText()
    await open('/lab/cached')
    if (javaScriptEnabled) await hydrated(page)
    const render = await readRender()
    await open('/lab/cached')
    t.equal(await readRender(), render, 'stored')
    if (javaScriptEnabled) await hydrated(page)
    await page.getByRole('button', { name: 'Invalidate it' }).click()
    await page.waitForFunction((before) => document.querySelectorAll('dd')[1]?.textContent !== before, render)
    t.equal(new URL(page.url()).pathname, '/lab/cached')
    t.same(await take(), [])
  }
})

t.test('a page that never stops suspending is 500 with a digest at the deadline', async (t) => {
  const { origin, logs } = await createListeningApp(t, { env: { RENDER_TIMEOUT: '500ms' } })
  const tab = await openTab(t, browser, { origin })
  await tab.open('/lab/never', 500)
  const [line] = logs.takeErrors()
  t.match(line, { err: { code: 'APP_RENDER_TIMEOUT' } })
  t.match(await textOf(tab.page), `Digest: ${line?.digest}`)
})
