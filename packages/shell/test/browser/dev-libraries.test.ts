import { cpSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { startDevServer } from '@hull/test-helpers/dev-server.ts'
import { LIBRARY_CSP, LIBRARY_PAGES } from '@hull/test-helpers/library-pages.ts'
import { PARTS, removePart } from '../../../create-hull/src/remove.ts'

const browser = await launchBrowser(t)
const { origin } = await startDevServer(t, {
  env: { CSP: LIBRARY_CSP },
  prepare(root) {
    removePart(root, PARTS.lab)
    removePart(root, PARTS.inbox)
    cpSync(join(import.meta.dirname, '../fixtures/libraries'), join(root, 'client'), { recursive: true, force: true })
  }
})

t.test('component libraries work in development', async (t) => {
  for (const { path, title, use } of LIBRARY_PAGES) {
    t.test(`${title} by document`, async (t) => {
      const { page, open, pathsOf } = await openTab(t, browser, { origin, refetches: true })
      await open(path)
      await hydrated(page)
      await use(page)
      t.same(pathsOf('document'), [path], 'the page is not reloaded for packages that Vite finds late')
    })

    t.test(`${title} by navigation`, async (t) => {
      const { page, open, pathsOf } = await openTab(t, browser, { origin, refetches: true })
      await open('/')
      await hydrated(page)
      await page.getByRole('link', { name: path.slice(1), exact: true }).click()
      await page.getByRole('heading', { name: title }).waitFor()
      await use(page)
      t.same(pathsOf('document'), ['/'])
    })
  }
})
