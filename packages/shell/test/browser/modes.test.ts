import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, textOf } from '@hull/test-helpers/browser.ts'
import { untilArrived, follow } from '@hull/test-helpers/navigation.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const browser = await launchBrowser(t)

t.test('a page with `serverOnly` has no script and no payload, and its HTML works', async (t) => {
  const { origin } = await createListeningApp(t)
  const { page, open, pathsOf } = await openTab(t, browser, { origin })
  await open('/lab/document')
  t.equal(await page.locator('script, link[rel=modulepreload]').count(), 0)
  t.same(pathsOf('script'), [])
  await page.getByText('Folding works without script').click()
  t.ok(await page.getByText('The browser does it.').isVisible())
})

t.test('a page with `clientOnly`', async (t) => {
  const { origin } = await createListeningApp(t)

  t.test('is sent with its data and its layout, and renders in the browser', async (t) => {
    const { page, open, pathsOf } = await openTab(t, browser, { origin, viewport: { width: 800, height: 600 } })
    const markup = await (await open('/lab/client'))!.text()
    t.notMatch(markup, 'In the browser only')
    t.match(markup, 'Back to the list', 'the layout is rendered on the server')
    await page.getByRole('heading', { name: 'In the browser only' }).waitFor()
    const text = await textOf(page)
    t.match(text, '800 × 600')
    t.match(text, process.versions.node)
    t.same(pathsOf('fetch'), [])
    await page.setViewportSize({ width: 700, height: 500 })
    await page.getByText('700 × 500').waitFor()
  })

  t.test('can use `window` at the top level of its module', async (t) => {
    const { origin } = await createListeningApp(t, { site: await buildFixtureSite() })
    const { page, open } = await openTab(t, browser, { origin })
    await open('/client')
    await page.getByText('the server, in a window').waitFor()
  })
})

t.test('a page with `cache` is requested again after an invalidation, whether it is stale or not', async (t) => {
  const { app, origin } = await createListeningApp(t, { site: await buildFixtureSite() })
  const { page, open, pathsOf } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  const visit = async () => {
    await follow(page, '/cached')
    const text = await page.getByText(/^render \d+$/).innerText()
    await follow(page, '/')
    await untilArrived(page, '/', 'Home')
    return text
  }
  const first = await visit()
  await app.pageCache.invalidate({ path: '/cached' })
  t.not(await visit(), first)
  t.same(pathsOf('document'), ['/'])
})

t.test('a layout is interactive', async (t) => {
  const { origin } = await createListeningApp(t)
  const { page, open } = await openTab(t, browser, { origin })
  await open('/lab/layout/a')
  await hydrated(page)
  await page.getByRole('button', { name: 'Count' }).click()
  await page.getByRole('button', { name: 'Count' }).click()
  t.equal(await page.locator('output').innerText(), '2')
  await page.getByLabel('Note').fill('kept')
  await page.getByRole('button', { name: 'Count' }).click()
  t.equal(await page.getByLabel('Note').inputValue(), 'kept')
  t.equal(await page.locator('output').innerText(), '3')
})

t.test('keeps text that is typed before the script is loaded', async (t) => {
  const { origin } = await createListeningApp(t)
  const { page } = await openTab(t, browser, { origin })
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/assets/*.js', async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/lab/form', { waitUntil: 'commit' })
  await page.getByLabel('Name').fill('Ada')
  release()
  await hydrated(page)
  t.equal(await page.getByLabel('Name').inputValue(), 'Ada')
})
