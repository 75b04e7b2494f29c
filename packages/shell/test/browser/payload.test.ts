import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const site = await buildFixtureSite()
const browser = await launchBrowser(t)

t.test('a payload', async (t) => {
  const { origin } = await createListeningApp(t, { site })

  for (const [path, codec] of [
    ['/payload', 'devalue'],
    ['/plain', 'json']
  ] as const) {
    t.test(`of ${path} hydrates without a mismatch, with any ids in the page, and runs none of its text`, async (t) => {
      const { page, open } = await openTab(t, browser, { origin })
      await open(path)
      await hydrated(page)
      t.match(
        await page.locator('#root').innerText(),
        '</script><script>alert(1)</script>',
        'markup in the data is text'
      )
      t.equal(await page.locator('script:not([src])').count(), 1, 'the payload is the only inline script')
      t.equal(await page.evaluate(() => document.compatMode), 'CSS1Compat', 'the document is in standards mode')
    })

    t.test(`of ${path} is the same in the document and in the page data`, async (t) => {
      const { page, open } = await openTab(t, browser, { origin })
      await open(path)
      const element = page.locator('script[type="application/json"]')
      const data = await page.evaluate(async (address) => {
        const answer = await fetch(address)
        return { codec: answer.headers.get('x-payload-codec'), text: await answer.text() }
      }, `/-/data${path}`)
      t.equal(data.codec, codec)
      t.same(JSON.parse(data.text), JSON.parse((await element.textContent())!))
      t.equal(await element.getAttribute('data-codec'), codec)
    })
  }
})

t.test('every kind of value', async (t) => {
  const { origin } = await createListeningApp(t)
  const { page, open } = await openTab(t, browser, { origin })
  await open('/lab/types')
  await hydrated(page)

  t.test('is the same in the browser as on the server', async (t) => {
    const rows = await page
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => [...row.querySelectorAll('th, code, .state')].map((cell) => cell.textContent))
      )
    t.same(rows, [
      ['Date', 'Date', 'yes'],
      ['Map', 'Map', 'yes'],
      ['Set', 'Set', 'yes'],
      ['BigInt', 'BigInt', 'yes'],
      ['undefined', 'undefined', 'yes'],
      ['cycle', 'Object', 'yes'],
      ['repeated', 'Object', 'yes'],
      ['text', 'String', 'yes']
    ])
  })
})
