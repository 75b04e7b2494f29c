import t, { type Test } from 'tap'
import { launchBrowser, until } from '@hull/test-helpers/browser.ts'
import {
  untilInteractive,
  followLink,
  openInteractive,
  untilHeading,
  startMoves,
  untilAborted
} from '@hull/test-helpers/moves.ts'

const browser = await launchBrowser(t)
const ASKED = ['dialog: Discard?']

t.test('a page with unsaved input', async (t) => {
  const { origin } = await startMoves(t)

  /** Opens the draft from /item/1 and /short, and types into it. Dialogs are dismissed unless `accepts`. */
  async function openDraft(t: Test, { query = '', accepts = false } = {}) {
    const tab = await openInteractive(t, browser, { origin, at: '/item/1' })
    const { page } = tab
    await followLink(tab, 'Short', 'Short')
    await page.evaluate((to) => {
      const link = document.body.appendChild(document.createElement('a'))
      link.href = to
      link.click()
    }, `/draft${query}`)
    await untilHeading(tab, 'Draft')
    if (accepts) {
      page.removeAllListeners('dialog')
      page.on('dialog', (dialog) => void dialog.accept())
    }
    await page.getByLabel('Name').fill('Ada')
    const isKept = async () => {
      await until(page, () => location.pathname === '/draft' && document.querySelector('h1')?.textContent === 'Draft')
      t.equal(await page.getByLabel('Name').inputValue(), 'Ada')
    }
    return { ...tab, isKept }
  }

  for (const [name, leave] of [
    ['a link', { role: 'link', name: 'Item 2' }],
    ['navigate()', { role: 'button', name: 'Navigate' }],
    ['a GET form', { role: 'button', name: 'Search' }]
  ] as const)
    t.test(`asks before ${name} leaves the page, and stays`, async (t) => {
      const { page, takeFirst, isKept, pathsOf } = await openDraft(t)
      const length = await page.evaluate(() => history.length)
      await page.getByRole(leave.role, { name: leave.name }).click()
      t.same(await takeFirst(), ASKED)
      await isKept()
      t.equal(await page.evaluate(() => history.length), length)
      t.notOk(pathsOf('document').length)
    })

  t.test('does not ask if the event that navigates also sets that nothing is unsaved', async (t) => {
    for (const name of ['Keep nothing and leave', 'Keep nothing and leave later']) {
      const tab = await openDraft(t)
      await tab.page.getByRole('button', { name, exact: true }).click()
      await untilHeading(tab, 'Item 2')
    }
  })

  t.test('does not ask if the event that navigates also removes the blocking component', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/draft' })
    await tab.page.getByRole('button', { name: 'Open a note' }).click()
    await tab.page.getByText('Note', { exact: true }).waitFor()
    await tab.page.getByRole('button', { name: 'Keep nothing and leave', exact: true }).click()
    await untilHeading(tab, 'Item 2')
  })

  t.test('asks before a redirect of its own refresh', async (t) => {
    for (const accepts of [false, true]) {
      const tab = await openDraft(t, { accepts })
      await tab.page.context().addCookies([{ name: 'ended', value: 'yes', url: origin }])
      await tab.page.getByRole('button', { name: 'Refresh' }).click()
      if (accepts) await untilHeading(tab, 'Item 2')
      else {
        t.same(await tab.takeFirst(), ASKED)
        await tab.isKept()
      }
    }
  })

  t.test('lets browsers ask that read the value of the event', async (t) => {
    const tab = await openDraft(t)
    const value = await tab.page.evaluate(() => {
      const event = document.createEvent('BeforeUnloadEvent') as BeforeUnloadEvent
      event.initEvent('beforeunload', false, true)
      dispatchEvent(event)
      return String(event.returnValue)
    })
    t.ok(value)
  })

  t.test('stays when the visitor goes back, also after a call of navigate() has replaced the hash', async (t) => {
    const tab = await openDraft(t)
    const { page, take, isKept } = tab
    await page.getByRole('button', { name: 'Go to the end' }).click()
    await until(page, () => location.hash === '#end')
    await page.goBack()
    while ((await take()).length === 0);
    await isKept()
    t.equal(page.url(), `${origin}/draft#end`)
  })

  t.test('leaves after the visitor agrees, without a document and without a second question', async (t) => {
    const tab = await openDraft(t, { accepts: true })
    await followLink(tab, 'Item 2', 'Item 2')
    t.same(tab.pathsOf('document'), [])
    await tab.page.goBack()
    await untilHeading(tab, 'Draft')
    await tab.page.goBack()
    await untilHeading(tab, 'Short')
  })

  t.test('stays when the visitor goes back, and the history entries are unchanged', async (t) => {
    const tab = await openDraft(t)
    const { page, take, isKept } = tab
    await page.evaluate(() => history.go(-2))
    await until(page, () => location.pathname === '/draft')
    while ((await take()).length === 0);
    await isKept()
    await page.getByLabel('Name').fill('')
    await page.evaluate(() => history.back())
    while ((await take()).length === 0);
    await until(page, () => location.pathname === '/draft')
    page.removeAllListeners('dialog')
    page.on('dialog', (dialog) => void dialog.accept())
    await page.goBack()
    await untilHeading(tab, 'Short')
    await page.goBack()
    await untilHeading(tab, 'Item 1')
    await page.goForward()
    await untilHeading(tab, 'Short')
    await page.goForward()
    await untilHeading(tab, 'Draft')
  })

  t.test('stays when the visitor goes forward', async (t) => {
    const tab = await openDraft(t, { accepts: true })
    const { page } = tab
    await followLink(tab, 'Item 2', 'Item 2')
    await page.goBack()
    await untilHeading(tab, 'Draft')
    await page.getByLabel('Name').fill('Ada')
    page.removeAllListeners('dialog')
    const asked = page.waitForEvent('dialog')
    await page.evaluate(() => history.forward())
    await (await asked).dismiss()
    await tab.isKept()
    page.on('dialog', (dialog) => void dialog.accept())
    await page.goForward()
    await untilHeading(tab, 'Item 2')
  })

  t.test('shows its own dialog, and both answers work for a link and for going back', async (t) => {
    const tab = await openDraft(t, { query: '?own' })
    const { page, isKept } = tab
    const dialog = page.getByRole('alertdialog')
    const answer = (name: string) => dialog.getByRole('button', { name }).click()
    await page.getByRole('link', { name: 'Item 2' }).click()
    t.equal(await dialog.getAttribute('aria-label'), 'Leave for /item/2?')
    await answer('Stay')
    await isKept()
    await page.evaluate(() => history.back())
    await page.getByRole('alertdialog', { name: 'Leave for /short?' }).waitFor()
    await isKept()
    await answer('Stay')
    await page.evaluate(() => history.back())
    await answer('Leave')
    await untilHeading(tab, 'Short')
    t.equal(page.url(), `${origin}/short`)
    await page.goForward()
    await untilHeading(tab, 'Draft')
    await page.getByLabel('Name').fill('Ada')
    await page.getByRole('link', { name: 'Item 2' }).click()
    await answer('Leave')
    await untilHeading(tab, 'Item 2')
  })

  t.test('does not ask for another query, a hash, or the form that saves the input', async (t) => {
    const tab = await openDraft(t)
    const { page, isKept } = tab
    await page.getByRole('link', { name: 'Another query' }).click()
    await until(page, () => location.search === '?again')
    await page.getByRole('link', { name: 'End' }).click()
    await until(page, () => location.hash === '#end')
    await isKept()
    await page.getByRole('button', { name: 'Save' }).click()
    await untilHeading(tab, 'Item 1')
    t.equal(page.url(), `${origin}/item/1?Ada#end`)
    t.same(tab.pathsOf('document'), [])
    await page.reload()
    await untilInteractive(tab)
  })

  t.test('the browser asks before another document is loaded', async (t) => {
    const { page, isKept, take } = await openDraft(t)
    page.removeAllListeners('dialog')
    for (const leave of [
      () => page.getByRole('link', { name: 'Document' }).click({ noWaitAfter: true }),
      () => page.evaluate(() => location.assign('/item/3'))
    ]) {
      const asked = page.waitForEvent('dialog')
      void leave().catch(() => {})
      const dialog = await asked
      t.equal(dialog.type(), 'beforeunload')
      await dialog.dismiss()
    }
    await isKept()
    page.on('dialog', (dialog) => void dialog.accept())
    await take()
  })

  t.test('does not ask for a form that the browser posts, and asks again after a download', async (t) => {
    const { page, take, isKept } = await openDraft(t)
    await page.route('**/file', (route) => route.fulfill({ status: 204 }))
    const answered = page.waitForResponse('**/file')
    await page.getByRole('button', { name: 'Download' }).click({ noWaitAfter: true })
    await answered
    t.same(await take(), ['request failed: /file net::ERR_ABORTED'], 'a response without a document')
    await page.getByRole('link', { name: 'Item 2' }).click()
    t.same(await take(), ASKED)
    await isKept()
    await page.getByRole('button', { name: 'Post a document' }).click()
    await page.waitForURL(`${origin}/item/1?null`)
    t.same(await take(), [])
  })

  t.test('does not ask before the visitor has typed', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/draft' })
    await followLink(tab, 'Item 2', 'Item 2')
    await tab.page.goBack()
    await untilHeading(tab, 'Draft')
    await tab.page.reload()
    await untilInteractive(tab)
  })
})

t.test('<NavLink> marks the current page, and the page that is loading', async (t) => {
  const { origin } = await startMoves(t)
  const tab = await openInteractive(t, browser, { origin, at: '/sections/a' })
  const { page } = tab
  const link = (name: string) =>
    page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name, exact: true })
  t.equal(await link('/sections/a').getAttribute('aria-current'), 'page')
  await link('/sections/ü').click()
  await untilHeading(tab, 'Section ü')
  t.equal(await link('/sections/a').getAttribute('aria-current'), null)
  t.equal(await link('/sections/ü').getAttribute('aria-current'), 'page')
  await link('/slow?ms=60000').click()
  await until(page, () => document.querySelector('a[data-pending]')?.textContent === '/slow?ms=60000')
  await link('/sections/a').click()
  await untilHeading(tab, 'Section a')
  t.equal(await page.locator('a[data-pending]').count(), 0)
  t.same(await untilAborted(tab, 1), ['/-/data/slow?ms=60000'])
})
