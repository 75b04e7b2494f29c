import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { launchBrowser, openTab, textOf, type Tab } from '@hull/test-helpers/browser.ts'

const browser = await launchBrowser(t)

/** Takes the problems of the tab, without those about missing scripts. */
async function takeProblems({ take }: Tab): Promise<string[]> {
  return (await take()).filter((problem) => !/\/assets\/\S+\.js/.test(problem))
}

t.test('without the bundle', async (t) => {
  const { origin } = await createListeningApp(t)

  async function open(t: Parameters<typeof openTab>[0]) {
    const tab = await openTab(t, browser, { origin })
    await tab.page.route('**/assets/*.js', (route) => route.abort())
    return tab
  }

  t.test('links work', async (t) => {
    const tab = await open(t)
    await tab.open('/lab')
    await tab.press(tab.page.locator('a[href="/lab/items"]').first())
    t.match(await textOf(tab.page), '50 items')
    await tab.page.goBack()
    t.match(await textOf(tab.page), 'One page for each behaviour')
    t.same(await takeProblems(tab), [])
  })

  t.test('a form shows its errors, and is then accepted', async (t) => {
    const tab = await open(t)
    await tab.open('/lab/form')
    await tab.page.getByLabel('Name').fill('Ada')
    await tab.press(tab.page.getByRole('button', { name: 'Send the claim' }))
    tab.seen(422)
    t.match(await tab.page.getByRole('alert').innerText(), /Check 2 fields/)
    await tab.page.getByLabel('E-mail').fill('ada@example.org')
    await tab.page.getByLabel('Amount').fill('12')
    await tab.press(tab.page.getByRole('button', { name: 'Send the claim' }))
    t.match(await textOf(tab.page), 'A claim of 12.00 was taken.')
    t.same(await takeProblems(tab), [])
  })

  t.test('a visitor signs in and out', async (t) => {
    const tab = await open(t)
    await tab.open('/lab/unauthorized', 401)
    await tab.press(tab.page.getByRole('link', { name: 'Sign in' }))
    await tab.page.getByLabel('Name').fill('Ada')
    await tab.press(tab.page.getByRole('button', { name: 'Sign in' }))
    t.equal(tab.page.url(), `${origin}/lab/unauthorized`)
    await tab.press(tab.page.getByRole('link', { name: 'Go to sign out' }))
    await tab.press(tab.page.getByRole('button', { name: 'Sign out' }))
    await tab.open('/lab/unauthorized', 401)
    t.same(await takeProblems(tab), [])
  })
})
