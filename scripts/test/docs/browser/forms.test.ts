import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { writeExamples } from '@hull/test-helpers/doc-examples.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const browser = await launchBrowser(t)
const { origin, logs } = await createListeningApp(t, { site: await buildSite(writePages()) })

function writePages() {
  const folder = createFolder(t)
  writeExamples('docs/forms.md', folder)
  const client = join(folder, 'client')
  mkdirSync(join(client, 'layouts'))
  writeFileSync(join(client, 'layouts/default.tsx'), 'export default ({ children }) => <main>{children}</main>')
  return client
}

for (const javaScriptEnabled of [true, false]) {
  const open = async (test: Test, path: string) => {
    const tab = await openTab(test, browser, { origin, javaScriptEnabled })
    await tab.open(path)
    if (javaScriptEnabled) await hydrated(tab.page)
    return tab
  }

  t.test(`the examples of docs/forms.md ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async (t) => {
    t.test('validate a form', async (t) => {
      const { page, seen } = await open(t, '/join')
      await page.getByLabel('E-mail').fill('ada')
      await page.getByLabel('Boats').fill('ten')
      await page.getByLabel('cruising').check()
      await page.getByRole('button').click()
      t.match(await page.getByRole('alert').innerText(), /Check 3 fields:\s*Enter an e-mail address\./)
      seen(422)
      t.equal(await page.getByLabel('Boats').inputValue(), 'ten')
      t.ok(await page.getByLabel('cruising').isChecked())
      await page.getByLabel('E-mail').fill('bob@example.org')
      await page.getByLabel('Boats').fill('')
      await page.getByLabel('City').fill('Oslo')
      await page.getByRole('button').click()
      await page.getByRole('alert').getByText('Enter a number.').waitFor()
      seen(422)
      await page.getByLabel('Boats').fill('2')
      await page.getByRole('button').click()
      await until(page, () => document.querySelector('[role=status]')?.textContent === 'Oslo, 2, cruising')
    })

    t.test('use TypeBox', async (t) => {
      const { page, seen } = await open(t, '/add-sail')
      await page.getByLabel('Area').fill('3.5')
      await page.getByRole('button').click()
      const alert = await page.getByRole('alert').innerText()
      for (const message of ['Enter a name.', 'Enter a whole number.', 'Choose a colour.']) t.match(alert, message)
      seen(422)
      await page.getByLabel('Name of the sail').fill('Genoa')
      await page.getByLabel('Area').fill('30')
      await page.getByLabel('red').check()
      await page.getByRole('button').click()
      await until(page, () => document.querySelector('[role=status]')?.textContent === 'Genoa, 30.5 m², red')
    })

    t.test('upload a file', async (t) => {
      const { page, seen } = await open(t, '/photo')
      const photo = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('a photo') }
      await page.getByLabel('Photo').setInputFiles({ ...photo, mimeType: 'text/plain' })
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Enter a title.').waitFor()
      seen(422)
      await page.getByLabel('Title').fill('Harbour')
      await page.getByLabel('Photo').setInputFiles(photo)
      await page.getByRole('button', { name: 'Save' }).click()
      await until(page, () => document.querySelector('[role=status]')?.textContent === 'Harbour, 7 bytes')
    })

    t.test('show the progress of an upload', async (t) => {
      const { page, pathsOf, seen } = await open(t, '/recording')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('Choose a recording.').waitFor()
      seen(422)
      const sent = { name: 'a.wav', mimeType: 'audio/wav', buffer: Buffer.alloc(3_000_000) }
      await page.getByLabel('Recording').setInputFiles(sent)
      if (javaScriptEnabled) {
        // Three megabytes per second.
        const network = await page.context().newCDPSession(page)
        const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 3_000_000 }
        await network.send('Network.emulateNetworkConditions', slow)
      }
      await page.getByRole('button', { name: 'Send' }).click()
      if (!javaScriptEnabled)
        return await until(page, () => document.querySelector('[role=status]')?.textContent === '')
      await until(page, () => {
        const { value = 0 } = document.querySelector('progress') ?? {}
        return value > 0 && value < 1
      })
      await page.getByText('3000000 bytes were saved.').waitFor()
      t.equal(pathsOf('document').length, 1)
    })

    t.test('save with a fetcher, without a navigation', async (t) => {
      const { page, pathsOf, seen } = await open(t, '/stock')
      await page.getByLabel('Count of rope').fill('many')
      await page.getByRole('button', { name: 'Save rope' }).click()
      await page.getByText('Enter a number.').waitFor()
      seen(422)
      await page.getByLabel('Count of rope').fill('5')
      await page.getByRole('button', { name: 'Save rope' }).click()
      await page.getByText(javaScriptEnabled ? 'rope: 5 Saved' : 'rope: 5').waitFor()
      t.equal(pathsOf('document').length, javaScriptEnabled ? 1 : 4)
    })

    t.test('run an action only once after a double click, if JavaScript is on', async (t) => {
      const { page, take } = await open(t, '/donate')
      await page.getByLabel('Amount').fill('5')
      await page.getByRole('button').dblclick()
      await page.getByRole('status').waitFor()
      // Without JavaScript the second click may abort the navigation of the first click.
      if (!javaScriptEnabled)
        for (const problem of await take()) t.equal(problem, 'request failed: /donate net::ERR_ABORTED')
      const thanks = await page.getByRole('status').innerText()
      t.equal(thanks, `Donation ${javaScriptEnabled ? 1 : 2}. Thank you.`)
    })

    t.test('validate a form also in the browser', async (t) => {
      const { page, seen, pathsOf } = await open(t, '/rename-boat')
      const name = page.getByLabel('Name of the boat')
      await name.fill('x')
      if (!javaScriptEnabled) await page.getByRole('button').click()
      await page.getByText('Enter at least two letters.').waitFor()
      if (javaScriptEnabled) t.same(pathsOf('fetch'), [], 'no request was sent')
      else seen(422)
      const again = await open(t, '/rename-boat')
      await again.page.getByRole('button').click()
      await again.page.getByText('Enter at least two letters.').waitFor()
      again.seen(422)
      await name.fill('Ox')
      await page.getByRole('button').click()
      await until(page, () => document.querySelector<HTMLInputElement>('[name=name]')?.value === '')
      t.match(
        logs.lines.find(({ msg }) => msg === 'renamed'),
        { name: 'Ox' }
      )
    })
  })
}
