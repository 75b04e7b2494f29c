import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { overflow } from '@hull/test-helpers/axe.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { openSeedStore, seedShowcase } from '../../../src/seed/index.ts'
import { addLongTrace, LONG_TRACE } from '../../helpers/trace.ts'
import { INBOX_PASSWORD } from '@hull/test-helpers/inbox-visitor.ts'

const PATH = `/inbox/traces/${LONG_TRACE}`

/** Fills an inbox, and returns a function that opens a tab with a signed-in person. */
async function openInbox(t: Test) {
  const folder = createFolder(t)
  const store = openSeedStore(join(folder, 'inbox.db'))
  seedShowcase(store)
  addLongTrace(store)
  store.close()
  const { origin } = await createListeningApp(t, { env: { DATA_DIR: folder, INBOX_PASSWORD } })
  const browser = await launchBrowser(t)
  return async (options: Partial<Parameters<typeof openTab>[2]> = {}) => {
    const tab = await openTab(t, browser, { origin, ...options })
    await tab.open('/inbox/sign-in')
    await tab.page.fill('input[name=name]', 'Ada')
    await tab.page.fill('input[name=password]', INBOX_PASSWORD)
    await tab.page.click('main button[type=submit]')
    await tab.page.waitForURL('**/inbox')
    if (options.javaScriptEnabled !== false) await hydrated(tab.page)
    return tab
  }
}

const enter = await openInbox(t)

t.test('a click on a bar shows its attributes, and does not scroll', async (t) => {
  const { page, open, pathsOf } = await enter()
  await open(PATH)
  await hydrated(page)
  t.equal(await page.locator('.waterfall-row').count(), 1_000)
  const row = page.getByRole('link', { name: /^work step 700,/ })
  await row.scrollIntoViewIfNeeded()
  const before = await page.evaluate(() => scrollY)
  const documents = pathsOf('document').length
  await row.click()
  await until(page, () => document.querySelector('.span-panel h2')?.textContent === 'step 700')
  t.equal(await page.evaluate(() => scrollY), before)
  t.equal(pathsOf('document').length, documents, 'without loading a document')
  t.match(page.url(), `${PATH}?span=${(700).toString(16).padStart(16, '0')}`)
  t.equal(await page.locator('.span-panel').isVisible(), true)
  // Playwright would scroll to the button, whose position is sticky, before a click.
  await page.getByRole('link', { name: 'Close' }).evaluate((link: HTMLElement) => link.click())
  await until(page, () => !document.querySelector('.span-panel'))
  t.equal(await page.evaluate(() => scrollY), before)
})

t.test('without scripts a bar links to its attributes, at its row', async (t) => {
  const { page, open, press } = await enter({ javaScriptEnabled: false })
  await open(PATH)
  await press(page.getByRole('link', { name: /^work step 700,/ }))
  const id = (700).toString(16).padStart(16, '0')
  t.match(page.url(), `?span=${id}#span-${id}`)
  t.match(await page.locator('.span-panel').innerText(), '/step/700')
  t.equal(await page.locator(`#span-${id}`).isVisible(), true)
})

t.test('at 390 px names are readable, marks are complete, and a link leads back', async (t) => {
  const { page, open } = await enter({ viewport: { width: 390, height: 844 } })
  await open('/inbox/traces')
  await page.locator('main a[href^="/inbox/traces/"]').first().click()
  await page.locator('.waterfall-row').first().waitFor()
  t.equal(await overflow(page), 0)
  const boxes = await page.evaluate(() => {
    const body = document.querySelector('.waterfall-body')!.getBoundingClientRect()
    const toBox = (element: Element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect()
      return { left, right, top, bottom, text: element.textContent }
    }
    return {
      body: { left: body.left, right: body.right },
      titles: [...document.querySelectorAll('.waterfall-title')].map(toBox),
      bars: [...document.querySelectorAll('.waterfall-row')].map((row) => toBox(row.querySelector('.waterfall-bar')!)),
      marks: [...document.querySelectorAll('text.waterfall-mark, .waterfall-notch')].map(toBox)
    }
  })
  t.ok(boxes.titles.length > 0)
  for (const [i, title] of boxes.titles.entries()) {
    t.match(title.text, /\S+ [\d.]+ (ms|s|min)$/)
    t.ok(title.bottom <= boxes.bars[i]!.top, `${title.text} is above its bar`)
    t.ok(title.right - title.left > 60, `${title.text} is wide enough`)
  }
  for (const { left, right, text } of boxes.marks) t.ok(left >= boxes.body.left && right <= boxes.body.right, text)
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Traces' }).click()
  await page.waitForURL('**/inbox/traces*')
})

t.test('the route whose durations are shown is marked in forced colours', async (t) => {
  const { page, open } = await enter()
  await page.emulateMedia({ forcedColors: 'active' })
  await open('/inbox/traces?range=7d')
  const row = page.locator('.routes tr[aria-current]')
  t.equal(await row.evaluate((row) => getComputedStyle(row).outlineStyle), 'solid')
})
