import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { findObstacles, overflow } from '@hull/test-helpers/axe.ts'
import { hydrated, launchBrowser, openTab, until, type Tab } from '@hull/test-helpers/browser.ts'
import { LAB_PAGES, type LabPage } from '@hull/test-helpers/lab-pages.ts'

const browser = await launchBrowser(t)

t.test('axe finds nothing on a page reached by navigation', async (t) => {
  const { origin, logs } = await createListeningApp(t)

  // accessibility.test.ts checks documents in both colour schemes and widths. One of each is enough here.
  const tab = await openTab(t, browser, { origin, colorScheme: 'dark', viewport: { width: 390, height: 800 } })
  // The browser itself reports a redirect loop.
  for (const screen of LAB_PAGES.filter(({ path }) => path !== '/lab/redirect-loop')) {
    t.test(screen.path, async (t) => {
      await to(screen)(tab)
      t.same(await findObstacles(tab.page), [])
      t.equal(await overflow(tab.page), 0, 'the page does not scroll sideways')
      const problems = (await tab.take()).filter((problem) => !problem.endsWith('net::ERR_ABORTED'))
      // Errors in the browser are logged to its console.
      if (screen.status !== 500) t.same(problems, [])
      logs.takeErrors()
    })
  }
})

/** Navigates to a page from the list of the lab, whatever its status code. */
const to =
  ({ path, status = 200, title }: LabPage) =>
  async ({ page, open, seen }: Tab) => {
    await open('/lab')
    await hydrated(page)
    await page.evaluate((href) => {
      const link = Object.assign(document.createElement('a'), { href })
      document.body.append(link)
      link.click()
      link.remove()
    }, path)
    await until(
      page,
      (name) => document.title === name && document.querySelector('.shell-progress[hidden]') !== null,
      title
    )
    if (status >= 400) seen(status)
  }
