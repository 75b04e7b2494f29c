import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, until } from '@hull/test-helpers/browser.ts'
import { signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { seedFolder, sendEvents, thrown } from '../../helpers/screens.ts'
import { openInboxTab } from '../../helpers/tab.ts'

const browser = await launchBrowser(t)

t.test('the list of issues, in a browser', async (t) => {
  const { app, origin } = await createListeningApp(t, { env: seedFolder(t) })

  t.test('is used with keys only', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await open('/inbox/issues')
    await hydrated(page)
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    t.equal(await page.evaluate(() => document.activeElement?.closest('tr')?.rowIndex), 1)

    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Escape')
    t.equal(await page.getByRole('dialog').count(), 0)

    await page.keyboard.press('/')
    t.equal(await page.evaluate(() => (document.activeElement as HTMLInputElement).name), 'q')
    await page.keyboard.type('jje?')
    t.match(await page.locator('input[name=q]').first().inputValue(), /jje\?/, 'keys are letters in a text field')
    await page.keyboard.press('Escape')
    t.equal(await page.evaluate(() => document.activeElement?.tagName), 'BODY')

    await page.keyboard.press('Control+k')
    t.equal(await page.evaluate(() => (document.activeElement as HTMLInputElement).name), 'q')
    await page.keyboard.press('Escape')

    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/inbox\/issues\/\d+$/)
    await page.getByRole('heading', { name: 'Stack' }).waitFor()
  })

  t.test('resolves the focused row with a key, and undoes that', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await open('/inbox/issues')
    await hydrated(page)
    const rows = await page.locator('[data-row]').count()
    await page.keyboard.press('j')
    await page.keyboard.down('e')
    await page.getByText('1 issue resolved.').waitFor()
    // The key is still held down, so it repeats.
    await page.keyboard.down('e')
    await page.keyboard.up('e')
    await page.waitForTimeout(300)
    t.equal(await page.locator('[data-row]').count(), rows - 1)
    const address = page.url()
    // The data is requested again, and no longer contains the message.
    await sendEvents(app, [thrown('Meanwhile')])
    await page.getByRole('button', { name: 'Show 1 new issue' }).click()
    await page.locator('[data-row]', { hasText: 'Meanwhile' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('1 issue restored.').waitFor()
    t.equal(await page.locator('[data-row]').count(), rows + 1)
    t.equal(page.url(), address)
    await page.reload()
    await hydrated(page)
    t.equal(await page.getByText('1 issue restored.').count(), 0, 'a reload does not show the message again')
  })

  t.test('works after a key event without a key, which Chrome sends when it fills in a field', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    const errors: Error[] = []
    page.on('pageerror', (error) => errors.push(error))
    await open('/inbox/account')
    await hydrated(page)
    await page.evaluate(() => document.body.dispatchEvent(new Event('keydown', { bubbles: true })))
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    t.same(errors, [])
  })

  t.test('opens a row with Enter while its checkbox has the focus, and does not resolve it', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await open('/inbox/issues')
    await hydrated(page)
    const box = page.locator('td input[type=checkbox]').first()
    await box.check()
    await box.press('Enter')
    await page.getByRole('heading', { name: 'Stack' }).or(page.getByText('1 issue resolved.')).first().waitFor()
    t.match(page.url(), /\/inbox\/issues\/\d+$/)
  })

  t.test('single keys can be turned off, and stay off', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await open('/inbox/issues')
    await hydrated(page)
    await page.keyboard.press('?')
    const choice = page.getByLabel('Use shortcuts of one key')
    t.ok(await choice.isChecked())
    await choice.uncheck()
    await page.keyboard.press('Escape')
    await page.reload()
    await hydrated(page)
    for (const key of ['j', 'x', 'e', '/', '?']) await page.keyboard.press(key)
    t.equal(await page.evaluate(() => document.activeElement?.localName), 'body')
    t.equal(await page.locator('dialog[open], .change-notice').count(), 0)
    await page.keyboard.press('Control+k')
    t.equal(await page.evaluate(() => document.activeElement?.getAttribute('role')), 'combobox')
    await page.keyboard.press('Escape')
    await page.locator('.inbox-person summary').click()
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
    await choice.check()
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    t.equal(await page.evaluate(() => document.activeElement?.hasAttribute('data-row-link')), true)
  })

  t.test('closes a menu when the focus leaves it', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await open('/inbox/issues')
    await hydrated(page)
    const menu = page.locator('details[data-menu=Time]')
    await menu.locator('summary').press('Enter')
    await menu.locator('a').last().focus()
    t.equal(await menu.getAttribute('open'), '')
    await menu.getByRole('button', { name: 'Show' }).press('Tab')
    t.equal(await menu.getAttribute('open'), null)
    const person = page.locator('.inbox-person')
    await person.locator('summary').press('Enter')
    await person.getByRole('button', { name: 'Keyboard shortcuts' }).press('Enter')
    await page.keyboard.press('Escape')
    t.match(await page.evaluate(() => document.activeElement?.textContent), 'Keyboard shortcuts', 'the focus returns')
  })

  t.test('changes the selected issues with a toolbar, which is shown only for a selection', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await open('/inbox/issues')
    await hydrated(page)
    const bar = page.locator('.bulk')
    t.equal(await bar.isVisible(), false)
    const status = page.locator('.issues-form > [role=status]')
    t.equal(await status.innerText(), '', 'in the document before its text, as screen readers need it')
    const boxes = page.locator('td input[type=checkbox]')
    await boxes.nth(0).check()
    await boxes.nth(1).check()
    t.equal(await bar.isVisible(), true)
    t.equal(await status.innerText(), '2 selected')
    await page.keyboard.press('x')
    t.equal(await status.innerText(), '1 selected')
    await page.keyboard.press('x')
    await bar.locator('summary', { hasText: 'More ways to ignore' }).click()
    await bar.getByRole('button', { name: 'Until 10 more events' }).click()
    await page.getByText('2 issues ignored.').waitFor()
    t.equal(await bar.isVisible(), false)
  })

  t.test('counts the selected rows that are still in the list', async (t) => {
    await sendEvents(app, [thrown('PickedOne'), thrown('PickedTwo')])
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await open('/inbox/issues')
    await hydrated(page)
    const status = page.locator('.issues-form > [role=status]')
    const all = page.getByLabel('Select all')
    const boxOf = (type: string) => page.locator('[data-row]', { hasText: type }).locator('.issues-box input')
    const rows = await page.locator('[data-row]').count()
    await all.check()
    t.equal(await status.innerText(), `${rows} selected`)
    // Waits until the page has its live stream.
    await page.waitForTimeout(500)
    await (await signIn(app)).post('/inbox/issues', { do: 'resolve', issue: await boxOf('PickedOne').inputValue() })
    await sendEvents(app, [thrown('ArrivedSince')])
    await page.getByRole('button', { name: 'Show 1 new issue' }).press('Enter')
    await boxOf('ArrivedSince').waitFor()
    t.equal(await page.evaluate(() => document.activeElement?.textContent), 'ArrivedSince', 'the new row has the focus')
    t.equal(await boxOf('PickedOne').count(), 0)
    await status.filter({ hasText: `${rows - 1} selected` }).waitFor()
    t.notOk(await all.isChecked(), 'the new row is not selected')
    await boxOf('ArrivedSince').check()
    t.ok(await all.isChecked())
  })

  t.test('changes all matching issues once all of a page are selected', async (t) => {
    await sendEvents(
      app,
      Array.from({ length: 52 }, (_, i) => thrown(`Flood${i}Error`, 'too much water'))
    )
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await open('/inbox/issues?q=is:unresolved+water')
    await hydrated(page)
    const [all, matching] = [page.getByLabel('Select all'), page.getByLabel('All 52 matching')]
    await page
      .getByRole('checkbox', { name: /^Select Flood/ })
      .first()
      .check()
    t.equal(await matching.count(), 0, 'not for a part of the page')
    await all.check()
    await matching.check()
    await page.getByRole('button', { name: 'Resolve', exact: true }).click()
    await page.getByText('No matching issues').waitFor()
    t.equal(await matching.count(), 0)
  })

  t.test('says whether issues that enter the list are new, regressed or both', async (t) => {
    await sendEvents(app, [thrown('ReturningOne'), thrown('ReturningTwo')])
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    const resolve = async (...types: string[]) => {
      await open('/inbox/issues')
      await hydrated(page)
      for (const type of types) await page.locator('[data-row]', { hasText: type }).locator('.issues-box input').check()
      await page.getByRole('button', { name: 'Resolve', exact: true }).click()
      await page.getByText(/issues? resolved\./).waitFor()
      // Waits until the page has its live stream.
      await page.waitForTimeout(500)
    }
    await resolve('ReturningOne', 'ReturningTwo')
    await sendEvents(app, [thrown('ReturningOne'), thrown('ReturningTwo')])
    await page.getByRole('button', { name: 'Show 2 regressed issues' }).click()
    await page.locator('[data-row]', { hasText: 'ReturningTwo' }).waitFor()

    await resolve('ReturningOne')
    await sendEvents(app, [thrown('ReturningOne'), thrown('NeverSeenBefore')])
    await page.getByRole('button', { name: 'Show 2 more issues' }).click()
    await page.locator('[data-row]', { hasText: 'NeverSeenBefore' }).waitFor()
  })

  t.test('updates counts immediately, and adds rows only after a click', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    // Navigates, so that the navigation ends before any event arrives.
    await open('/inbox')
    await hydrated(page)
    await page.getByRole('link', { name: 'Issues', exact: true }).click()
    await page.locator('[data-row] td').first().waitFor()
    const order = () =>
      page.evaluate(() => [...document.querySelectorAll<HTMLElement>('[data-row]')].map((row) => row.dataset.row))
    const before = await order()
    // Waits until the page has its live stream.
    await page.waitForTimeout(500)
    const said = page.getByRole('status').filter({ hasText: /Show/ })
    await page.evaluate(() => {
      const texts: string[] = Object.assign(window, { texts: [] }).texts
      const note = () => {
        for (const status of document.querySelectorAll('[role=status]'))
          if (status.textContent.includes('Show') && texts.at(-1) !== status.textContent) texts.push(status.textContent)
      }
      new MutationObserver(note).observe(document.body, { childList: true, subtree: true, characterData: true })
    })
    await sendEvents(app, [thrown('LiveErrorOne')])
    await page.getByRole('button', { name: 'Show 1 new issue' }).waitFor()
    t.equal(await said.innerText(), 'Show 1 new issue')
    await sendEvents(app, [thrown('LiveErrorTwo'), thrown('LiveErrorOne')])
    await page.getByRole('button', { name: 'Show 2 new issues' }).waitFor()
    t.same(await order(), before, 'before a click')
    await said.waitFor({ state: 'detached' })
    t.same(await page.evaluate(() => (window as { texts?: string[] }).texts), ['Show 1 new issue'], 'read once')

    await page.getByRole('button', { name: 'Show 2 new issues' }).click()
    const row = page.locator('[data-row]', { hasText: 'LiveErrorOne' })
    await row.waitFor()
    t.equal((await order()).length, before.length + 2)
    t.match(await row.locator('td.number').first().innerText(), '2')

    await sendEvents(app, [thrown('LiveErrorOne')])
    await until(page, () =>
      [...document.querySelectorAll('[data-row]')].some(
        (row) => row.textContent!.includes('LiveErrorOne') && row.querySelector('td.number')!.textContent === '3'
      )
    )
    t.equal(await page.getByRole('button', { name: /^Show/ }).count(), 0, 'no row is new')
  })

  t.test('shows, after going back, the issues that arrived while another page was shown', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await open('/inbox/issues')
    await hydrated(page)
    // Waits until the page has its live stream.
    await page.waitForTimeout(500)
    await page.locator('[data-row-link]').first().click()
    await page.getByRole('heading', { name: 'Stack' }).waitFor()
    const announced = page.waitForEvent('console', (message) => message.text() === 'news')
    await page.evaluate(() => {
      const source = new EventSource('/inbox/live?age=0')
      source.addEventListener('message', () => {
        source.close()
        console.log('news')
      })
    })
    await page.waitForTimeout(300)
    await sendEvents(app, [thrown('WhileElsewhere')])
    await announced
    await page.waitForTimeout(300)
    await page.goBack()
    await page.getByRole('button', { name: 'Show 1 new issue' }).waitFor({ timeout: 5_000 })
  })

  t.test('requests no data in a hidden tab, and requests it when the tab is visible again', async (t) => {
    const { page, open, requests, take } = await openInboxTab(t, browser, { app, origin })
    await open('/inbox/issues')
    await hydrated(page)
    await page.waitForTimeout(300)
    const setHidden = (isHidden: boolean) =>
      page.evaluate((isHidden) => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden })
        document.dispatchEvent(new Event('visibilitychange'))
      }, isHidden)
    await setHidden(true)
    await page.waitForTimeout(200)
    const asked = () => requests.filter((request) => request.url().includes('/-/data/')).length
    const before = asked()
    await sendEvents(app, [thrown('WhileHidden')])
    await page.waitForTimeout(1_800)
    t.equal(asked(), before)
    await setHidden(false)
    await page.getByRole('button', { name: 'Show 1 new issue' }).waitFor()
    // The last request for the data may still be in progress.
    await take()
  })
})

t.test('the list of issues, without JavaScript', async (t) => {
  const { app, origin } = await createListeningApp(t, { env: seedFolder(t) })
  const { page, open, press } = await openInboxTab(t, browser, { app, origin, javaScriptEnabled: false })
  await open('/inbox/issues')
  t.equal(await page.getByRole('checkbox', { name: 'Select all' }).count(), 0, 'no control that needs a script')

  await page.locator('summary', { hasText: 'Time' }).click()
  await press(page.getByRole('link', { name: 'Last 7 days' }))
  t.match(await page.locator('h1').innerText(), 'last 7 days')

  await page.locator('summary', { hasText: 'Filter' }).click()
  await page.getByLabel('Field').selectOption('browser')
  await page.getByLabel('Value', { exact: true }).fill('firefox')
  await press(page.getByRole('button', { name: 'Add filter' }))
  t.equal(await page.getByLabel('Search issues').inputValue(), 'is:unresolved browser:firefox')
  t.equal(new URL(page.url()).searchParams.get('range'), '7d')

  const box = page.locator('td input[type=checkbox]').first()
  await box.check()
  await box.press('Enter')
  await page.waitForTimeout(300)
  t.equal(await page.getByText('1 issue resolved.').count(), 0, 'Enter in a checkbox submits nothing')
  await press(page.locator('.bulk').getByRole('button', { name: 'Resolve', exact: true }))
  t.match(await page.getByRole('status').first().innerText(), '1 issue resolved.')
  await press(page.getByRole('button', { name: 'Undo' }))
  t.match(await page.getByRole('status').first().innerText(), '1 issue restored.')

  await press(page.locator('[data-row-link]').first())
  t.match(page.url(), /\/inbox\/issues\/\d+/)
  await press(page.getByRole('link', { name: 'Older event' }))
  await press(page.getByRole('link', { name: 'As Markdown' }))
  t.match(await page.innerText('body'), /^# /)
})
