import t from 'tap'
import { launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { untilInteractive, followLink, startMoves } from '@hull/test-helpers/moves.ts'

const browser = await launchBrowser(t)

t.test('a document that was opened with a password in its URL hydrates, and its links work', async (t) => {
  const { origin } = await startMoves(t)
  const tab = await openTab(t, browser, { origin })
  await tab.page.goto(`${origin.replace('//', '//ada:secret@')}/item/1?a=b#note`)
  await tab.page.waitForURL(`${origin}/item/1?a=b#note`)
  await untilInteractive(tab)
  tab.requests.length = 0
  await followLink(tab, 'Item 2', 'Item 2')
  t.same(tab.pathsOf('document'), [])
  await tab.page.goBack()
  await tab.page.waitForURL(`${origin}/item/1?a=b#note`)
})
