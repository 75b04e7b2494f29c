import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const browser = await launchBrowser(t)
const folder = (process.env.TEST_UPLOADS = createFolder(t))
const site = await buildSite(join(import.meta.dirname, '../../fixtures/forms'))
const { origin } = await createListeningApp(t, { site })

const LARGE = 8 * 1024 * 1024 + 1

for (const javaScriptEnabled of [true, false]) {
  t.test(
    `a file is uploaded, and one that is too large is refused, JavaScript ${javaScriptEnabled ? 'on' : 'off'}`,
    async (t) => {
      const tab = await openTab(t, browser, { origin, javaScriptEnabled })
      const { page } = tab
      await tab.open('/upload')
      if (javaScriptEnabled) await hydrated(page)
      const photo = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.alloc(2 * 1024 * 1024) }
      await page.getByLabel('Title').fill('Ada')
      await page.getByLabel('Photo').setInputFiles(photo)
      await page.getByRole('button', { name: 'Send' }).click()
      await until(page, () => document.querySelector('#taken')?.textContent !== '')
      t.equal(await page.locator('#taken').innerText(), 'Ada,a.png,image/png,2097152,2097152')

      await page.getByLabel('Title').fill('Bob')
      await page.getByLabel('Photo').setInputFiles({ ...photo, buffer: Buffer.alloc(LARGE) })
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('A file is larger than 8 MB').waitFor()
      tab.seen(413)
      if (javaScriptEnabled) t.equal(await page.getByLabel('Title').inputValue(), 'Bob', 'the form keeps its values')
      await eventually(() => readdirSync(folder).length === 0)
    }
  )
}
