import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { openInboxTab } from '../../helpers/tab.ts'
import { INBOX_PASSWORD } from '@hull/test-helpers/inbox-visitor.ts'
import { monitored } from '@hull/test-helpers/monitored.ts'
import { eventually, PATIENCE } from '@hull/test-helpers/patience.ts'

const browser = await launchBrowser(t)
const { app, origin } = await createListeningApp(t, { env: { LAB: 'on', INBOX_PASSWORD, TRACES_SAMPLE_RATE: '1' } })
await eventually(() => app.telemetry!.isReady)

/** Milliseconds during which a click blocks the browser; more than a good INP. */
const BUSY = 300

const vitalsOf = async (page: string) => {
  const rows = await app.inbox!.queries.listVitals({ view: { since: 0, until: Date.now() + 60_000 } })
  return rows.find((row) => row.page === page)?.vitals
}

/** Waits until the vitals of a page match. */
async function untilVitals(
  page: string,
  isWanted: (vitals: NonNullable<Awaited<ReturnType<typeof vitalsOf>>>) => boolean
) {
  for (const end = performance.now() + PATIENCE; performance.now() < end;) {
    const vitals = await vitalsOf(page)
    if (vitals && isWanted(vitals)) return vitals
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${page} does not have these vitals: ${JSON.stringify(await vitalsOf(page))}`)
}

t.test('a vital belongs to the page of its measurement, and layout shifts count until the page is left', async (t) => {
  const tab = await openTab(t, browser, { origin })
  const { page } = tab
  await tab.open('/lab/items/7')
  await hydrated(page)
  await monitored(page)
  const loaded = await untilVitals('/lab/items/[id]', ({ CLS }) => CLS !== undefined)
  t.match(loaded.CLS, { p75: 0, samples: 1 }, 'the page has not shifted yet')

  await page.evaluate((busy) => {
    const button = Object.assign(document.createElement('button'), { id: 'slow', textContent: 'slow' })
    button.addEventListener('click', () => {
      for (const end = performance.now() + busy; performance.now() < end;);
    })
    document.body.prepend(button)
  }, BUSY)
  await page.click('#slow')
  // Within half a second of a click, a shift counts as caused by the visitor.
  await page.waitForTimeout(700)
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20)))
    const box = Object.assign(document.createElement('div'), { textContent: 'pushed down' })
    box.style.cssText = 'height:400px;background:teal'
    document.body.prepend(box)
    await frame()
    const banner = document.createElement('div')
    banner.style.cssText = 'height:300px'
    document.body.prepend(banner)
    await frame()
    await frame()
  })
  await page.evaluate(() => {
    const link = Object.assign(document.createElement('a'), { href: '/lab/cached', textContent: 'there' })
    document.body.append(link)
    link.click()
  })
  await page.waitForURL('**/lab/cached')
  await page.goto('about:blank')

  const found = await untilVitals('/lab/items/[id]', ({ INP, CLS }) => INP !== undefined && CLS!.p75 > 0)
  t.ok(found.CLS!.p75 > 0.05, `CLS is ${found.CLS!.p75}`)
  t.equal(found.CLS!.samples, 1, 'a visit is one sample')
  t.ok(found.INP!.p75 > BUSY * 0.9, `INP is ${found.INP!.p75}`)
  t.notOk((await vitalsOf('/lab/cached'))?.INP, 'the page that is shown when the document is left has no INP')

  const inbox = await openInboxTab(t, browser, { app, origin })
  await inbox.open('/inbox/vitals')
  const row = inbox.page.getByRole('row', { name: '/lab/items/[id]' })
  t.match(await row.locator('[data-vital=CLS]').innerText(), String(Math.round(found.CLS!.p75 * 1_000) / 1_000))
  t.match(await row.locator('[data-vital=INP]').innerText(), /\d+\s*ms/)
  t.equal(await inbox.page.getByRole('rowheader', { name: /button|slow|body/ }).count(), 0, 'no selector is a page')
})
