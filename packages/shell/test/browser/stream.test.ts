import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const site = await buildFixtureSite()
const browser = await launchBrowser(t)

t.test('a streamed document', async (t) => {
  const { origin, logs } = await createListeningApp(t, { site })

  t.test('shows an interactive page before its late part is received', async (t) => {
    const { page, pathsOf } = await openTab(t, browser, { origin })
    await page.goto('/stream?hold=4000', { waitUntil: 'commit' })
    await until(page, () => Object.keys(document.querySelector('h1') ?? {}).some((key) => key.startsWith('__react')))
    t.equal(await page.locator('#waiting').innerText(), 'waiting')
    t.equal(await page.evaluate(() => document.readyState), 'loading')

    await page.locator('#late').waitFor()
    await page.waitForLoadState()
    await hydrated(page)
    t.equal(await page.locator('#waiting').count(), 0)
    t.same(pathsOf('fetch'), [], 'the late part needs no second request')
  })

  t.test("resolves links to a hash to the page's own elements, whatever their ids", async (t) => {
    const { page, open } = await openTab(t, browser, { origin })
    await open('/stream?hold=50#payload')
    await hydrated(page)
    t.equal(await page.locator(':target').evaluate(({ tagName }) => tagName), 'H1')
  })

  t.test('shows late text as text, and restores a late Date', async (t) => {
    const { page, open } = await openTab(t, browser, { origin })
    await open('/stream?hold=300')
    await hydrated(page)
    t.equal(
      await page.locator('#late').innerText(),
      'Late </script><script>alert(1)</script> 1970-01-01T00:00:00.000Z even later'
    )
  })

  t.test('whose late part is not found shows the fallback, and a meta tag for robots', async (t) => {
    for (const hold of [50, 300]) {
      const { page, open } = await openTab(t, browser, { origin })
      await open(`/stream?late=missing&hold=${hold}`)
      await page.getByRole('heading', { name: 'Not found' }).waitFor()
      t.equal(await page.locator('div.frame section.fallback').count(), 1, 'the layout is still shown')
      t.equal(await page.locator('#waiting').count(), 0)
      t.equal(await page.locator('head > meta[name=robots]').getAttribute('content'), 'noindex')
    }
  })

  t.test('whose late part redirects leaves no history entry', async (t) => {
    const { page, open, take } = await openTab(t, browser, { origin })
    await open('/')
    await page.goto('/stream?late=redirect&hold=300', { waitUntil: 'commit' })
    await page.waitForURL('/about')
    await hydrated(page)
    // The test can leave the page before its stream has ended.
    t.notMatch((await take()).join('\n'), /console|uncaught|policy/)
    t.equal(await page.locator('h1').innerText(), 'About')
    await page.goBack()
    t.equal(page.url(), `${origin}/`)
  })

  t.test('whose late part fails shows the digest of the log line', async (t) => {
    const { page, open, take } = await openTab(t, browser, { origin })
    await open('/fail/late')
    await page.locator('.digest').waitFor()
    const [line] = logs.takeErrors()
    t.equal(await page.locator('.digest').innerText(), `Digest: ${line?.digest}`)
    const heading = await page.locator('h1').innerText()
    t.equal(
      heading,
      'Application error: a client-side or server-side exception has occurred while loading 127.0.0.1 (see the browser console or server logs for more information).'
    )
    t.equal(await page.locator('div.frame section.fallback').count(), 1, 'the layout is still shown')
    t.notMatch(await page.content(), 'secret')
    const errors = await take()
    t.match(errors[0], /^console: ServerFailure/)
    t.equal(errors.length, 1, 'the error is logged to the console once')
  })

  t.test('has a new nonce each time, and allows no other inline code', async (t) => {
    const { open } = await openTab(t, browser, { origin })
    const nonces = new Set<string>()
    for (let i = 0; i < 3; i++) {
      const policy = (await (await open('/stream'))!.allHeaders())['content-security-policy']!
      const found = [...policy.matchAll(/'nonce-([^']{22})'/g)].map(([, nonce]) => nonce!)
      t.equal(found.length, 2, 'for scripts and for style elements')
      t.equal(found[0], found[1])
      nonces.add(found[0]!)
      t.notMatch(policy, 'unsafe')
    }
    t.equal(nonces.size, 3)
  })
})
