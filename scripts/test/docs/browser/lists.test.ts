import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { writeExamples } from '@hull/test-helpers/doc-examples.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

/* Tests the recipes of docs/lists.md in a browser. */

const CLOCK = `import { useRefreshEvery } from '../components/use-refresh-every.ts'
let count = 0
export const getData = () => ++count
export default ({ data }) => {
  useRefreshEvery(0.2)
  return <><output>{data}</output><input /></>
}`

const browser = await launchBrowser(t)
const { origin } = await createListeningApp(t, { site: await buildSite(writePages()) })

function writePages() {
  const folder = createFolder(t)
  writeExamples('docs/lists.md', folder)
  writeFileSync(join(folder, 'client/pages/clock.tsx'), CLOCK)
  return join(folder, 'client')
}

async function open(t: Test, path: string, javaScriptEnabled = true) {
  const tab = await openTab(t, browser, { origin, javaScriptEnabled, refetches: path === '/clock' })
  await tab.open(path)
  if (javaScriptEnabled) await hydrated(tab.page)
  return tab
}

const countOf = (text: string) => document.querySelector('[aria-live]')?.textContent === text

t.test('the field, the address and the list agree while typing, after a link and after going back', async (t) => {
  const { page } = await open(t, '/boats')
  const field = page.getByLabel('Search')
  await field.pressSequentially('boat 1', { delay: 20 })
  await until(page, countOf, '11 boats')
  t.equal(await field.inputValue(), 'boat 1')
  t.equal(new URL(page.url()).search, '?q=boat+1&sort=name')
  await page.getByRole('link', { name: 'metres' }).click()
  await page.getByRole('columnheader', { name: 'metres' }).and(page.locator('[aria-sort]')).waitFor()
  await field.fill('boat 2')
  await until(page, () => location.search.startsWith('?q=boat+2'))
  await page.goBack()
  await until(page, countOf, '11 boats')
  t.equal(await field.inputValue(), 'boat 1', 'the text of the entry, not the text that was typed later')
  await page.goForward()
  await page.getByRole('columnheader', { name: 'metres' }).and(page.locator('[aria-sort]')).waitFor()
  t.equal(await field.inputValue(), 'boat 2')
  await page.getByRole('link', { name: 'Next' }).click()
  await page.getByRole('link', { name: 'Previous' }).waitFor()
  t.match(new URL(page.url()).search, 'q=boat+2')
})

for (const javaScriptEnabled of [true, false])
  t.test(`selected rows are removed ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async (t) => {
    const { page, seen } = await open(t, '/boats?q=4', javaScriptEnabled)
    const rows = page.locator('tbody tr')
    const before = Number.parseInt(await page.getByText(/boats$/).innerText())
    await page.getByRole('button').click()
    await page.getByRole('alert').getByText('Select a boat.').waitFor()
    seen(422)
    await rows.first().getByRole('checkbox').check()
    await rows.last().getByRole('checkbox').check()
    await page.getByRole('button').click()
    await page.getByText(`${before - 2} boats`).waitFor()
    t.equal(await page.getByRole('checkbox', { checked: true }).count(), 0)
  })

t.test('a list shows more, and as much after a reload', async (t) => {
  const { page } = await open(t, '/voyages')
  await page.getByRole('link', { name: 'Show more' }).click()
  await page.getByText('Voyage 39').waitFor()
  t.equal(new URL(page.url()).search, '?count=40')
  await page.reload()
  t.equal(await page.getByRole('listitem').count(), 40)
})

t.test('a page requests its data again, and keeps what is typed', async (t) => {
  const { page } = await open(t, '/clock')
  await page.getByRole('textbox').fill('typed')
  await until(page, () => Number(document.querySelector('output')!.textContent) > 3)
  t.equal(await page.getByRole('textbox').inputValue(), 'typed')
})
