import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, textOf, until } from '@hull/test-helpers/browser.ts'
import { buildFixtureSite, buildSite } from '@hull/test-helpers/site.ts'

const browser = await launchBrowser(t)
const SENTENCE =
  'Application error: a client-side or server-side exception has occurred while loading 127.0.0.1 (see the browser console or server logs for more information).'

t.test('an error in the browser', async (t) => {
  const { origin } = await createListeningApp(t)

  t.test('replaces the page by the error page, and the layout stays interactive', async (t) => {
    const { page, open, take, takeFirst, pathsOf } = await openTab(t, browser, { origin })
    await open('/lab/error/hydrate')
    const heading = page.locator('h1')
    await heading.filter({ hasText: SENTENCE }).waitFor()
    t.equal(await heading.innerText(), SENTENCE)
    t.equal(await page.locator('.digest').count(), 0, 'no digest, because the server does not know the error')
    t.match(await textOf(page), 'The error happened in the browser')
    t.equal(await page.getByRole('navigation', { name: 'Main' }).count(), 1, "the layout's frame is shown once")
    const problems = await take()
    t.match(problems[0], /^console: Error: lab\/error\/hydrate was asked for/)
    t.equal(problems.length, 1)

    await page.getByRole('button', { name: 'Try again' }).click()
    await until(page, () => performance.getEntriesByName(`${location.origin}/-/data/lab/error/hydrate`).length === 1)
    t.match((await takeFirst())[0], /^console: Error: lab\/error\/hydrate was asked for/, 'the page fails again')
    t.equal(await heading.innerText(), SENTENCE)
    t.same(pathsOf('fetch'), ['/-/data/lab/error/hydrate'])
    t.equal(pathsOf('document').length, 1)
  })

  t.test('in a handler or a promise does not change the page', async (t) => {
    for (const [path, button, words] of [
      ['/lab/error/click', 'Throw', 'thrown'],
      ['/lab/error/promise', 'Reject', 'rejected']
    ] as const) {
      const { page, open, takeFirst } = await openTab(t, browser, { origin })
      await open(path)
      await hydrated(page)
      for (const count of ['1 time', '2 times']) {
        await page.getByRole('button', { name: button }).click()
        await page.getByText(`${words} ${count}`).waitFor()
        const problems = await takeFirst()
        t.match(problems[0], new RegExp(`^uncaught: ${path.slice(1)} was asked for`))
        t.equal(problems.length, 1)
      }
    }
  })
})

t.test('an error that replaces the page is announced, and takes the focus of what it has removed', async (t) => {
  const site = await buildSite(
    t.testdir({
      layouts: {},
      pages: {
        'index.tsx': `import { useState } from 'react'
          export const layout = null
          export const getMeta = () => ({ title: 'Orders', titleTemplate: '%s · Shop' })
          export default function Page() {
            const [isBroken, setBroken] = useState(false)
            if (isBroken) throw new Error('broken by a click')
            return <><h1>Orders</h1><button onClick={() => setBroken(true)}>Break</button></>
          }`
      }
    })
  )
  const { origin } = await createListeningApp(t, { site })
  const { page, open, take } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  await page.getByRole('button', { name: 'Break' }).press('Enter')
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await until(page, () => document.querySelector('.shell-announcer')!.textContent === document.title)
  t.match(await page.title(), /error · Shop$/)
  t.equal(await page.evaluate(() => document.activeElement?.localName), 'main')
  await page.getByRole('button', { name: 'Try again' }).press('Enter')
  await page.getByRole('heading', { name: 'Orders' }).waitFor()
  await take()
})

t.test('"Try again" requests the page data again and restores the page', async (t) => {
  const { origin } = await createListeningApp(t, { site: await buildFixtureSite() })
  const { page, open, take, pathsOf } = await openTab(t, browser, { origin })
  await open('/fail/browser?a=b')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'clicked 0' }).click()
  await page.getByRole('button', { name: 'clicked 1' }).waitFor()
  t.same(pathsOf('fetch'), ['/-/data/fail/browser?a=b'])
  t.equal(pathsOf('document').length, 1, 'no other document is loaded')
  t.equal(await page.locator('section.fallback').count(), 0)
  const problems = await take()
  t.match(problems[0], /^console: Error: asked for in the browser/)
  t.equal(problems.length, 1)
})

t.test('an error on the server', async (t) => {
  const { origin, logs } = await createListeningApp(t)
  const { page, open, press, pathsOf, seen } = await openTab(t, browser, { origin })
  await open('/lab/error/render?a=b', 500)
  t.equal(await page.locator('h1').innerText(), SENTENCE)
  t.equal(await page.locator('.digest').innerText(), `Digest: ${logs.takeErrors()[0]?.digest}`)
  t.equal(await page.locator('script').count(), 0, 'the page has no script')
  t.equal(await page.title(), 'Application error')

  await press(page.getByRole('link', { name: 'Try again' }))
  seen(500)
  t.same(
    pathsOf('document'),
    ['/lab/error/render?a=b', '/lab/error/render?a=b'],
    '"Try again" requests the document again'
  )
  t.equal(await page.locator('.digest').innerText(), `Digest: ${logs.takeErrors()[0]?.digest}`)
})
