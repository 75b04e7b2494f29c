import type { Locator } from 'playwright'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { findObstacles, overflow } from '@hull/test-helpers/axe.ts'
import { hydrated, launchBrowser } from '@hull/test-helpers/browser.ts'
import { seedFolder } from '../../helpers/screens.ts'
import { openInboxTab } from '../../helpers/tab.ts'

const browser = await launchBrowser(t)
const { app, origin } = await createListeningApp(t, { env: seedFolder(t) })

const view = { since: 0, until: Date.now() }

t.test('the search field is a combobox with suggestions', async (t) => {
  const { page, open } = await openInboxTab(t, browser, { app, origin, reducedMotion: 'reduce' })
  await open('/inbox/issues')
  await hydrated(page)
  const field = page.getByRole('combobox', { name: 'Search issues' })
  const options = page.locator('.suggestions [role=option]')
  await field.fill('')

  t.test('the keyboard selects a suggestion', async (t) => {
    await field.pressSequentially('env')
    await options.first().waitFor()
    t.same(await options.allInnerTexts(), ['environment:'])
    t.equal(await field.getAttribute('aria-expanded'), 'true')
    t.match(await page.locator('.suggesting [role=status]').innerText(), '1 suggestion')
    t.same(await findObstacles(page), [])
    await field.press('ArrowDown')
    t.equal(await field.getAttribute('aria-activedescendant'), await options.first().getAttribute('id'))
    await field.press('Enter')
    await page.getByRole('option', { name: 'environment:production' }).waitFor()
    t.equal(await field.inputValue(), 'environment:')
    await field.pressSequentially('prod')
    await page.waitForFunction(() => document.querySelectorAll('.suggestions [role=option]').length === 1)
    await field.press('ArrowUp')
    await field.press('Tab')
    t.equal(await field.inputValue(), 'environment:production ')
    t.ok(
      await field.evaluate((element) => element === document.activeElement),
      'Tab selects the suggestion, and keeps the focus'
    )
    t.equal(await options.count(), 0)
  })

  t.test('a click into the text, or a move of the cursor, closes the list', async (t) => {
    await field.fill('')
    await field.pressSequentially('is:new env')
    await options.first().waitFor()
    await field.click({ position: { x: 20, y: 10 } })
    t.equal(await options.count(), 0)
    await field.press('End')
    await field.pressSequentially('i')
    await field.press('Backspace')
    await options.first().waitFor()
    await field.press('Control+ArrowLeft')
    t.equal(await options.count(), 0)
    t.equal(await field.inputValue(), 'is:new env')
    await field.fill('environment:production ')
  })

  t.test('Escape closes the list, and keeps the text and the focus', async (t) => {
    await field.pressSequentially('brow')
    await options.first().waitFor()
    await field.press('Escape')
    t.equal(await options.count(), 0)
    t.equal(await field.inputValue(), 'environment:production brow')
    t.ok(await field.evaluate((element) => element === document.activeElement))
  })

  t.test('a click selects a suggestion, and Enter searches', async (t) => {
    await field.pressSequentially('s')
    await options.first().click()
    await page.getByRole('option', { name: 'browser:"' }).first().click()
    const value = await field.inputValue()
    t.match(value, /^environment:production browser:"[^"]+" $/)
    await Promise.all([
      page.waitForURL((url) => url.searchParams.get('q') === value.trim() || url.searchParams.get('q') === value),
      field.press('Enter')
    ])
    t.equal(await options.count(), 0)
  })

  t.test('fits a phone', async (t) => {
    await page.setViewportSize({ width: 390, height: 800 })
    const small = page.getByRole('combobox', { name: 'Search issues' })
    await small.fill('')
    await small.press('ArrowDown')
    await options.first().waitFor()
    t.equal(await overflow(page), 0)
    t.same(await findObstacles(page, { only: 'sizes', within: page.locator('.suggestions') }), [])
    const { x, width } = (await page.locator('.suggestions').boundingBox())!
    t.ok(x >= 0 && x + width <= 390)
  })
})

t.test('the field of a comment suggests names after an @', async (t) => {
  const { page, open } = await openInboxTab(t, browser, { app, origin, reducedMotion: 'reduce' })
  await open(`/inbox/issues/${(await app.inbox!.queries.listIssues({ view })).issues.at(-1)!.id}`)
  await hydrated(page)
  const field = page.getByRole('textbox', { name: 'Comment' })
  const options = page.locator('.suggestions [role=option]')

  await field.fill('See a@b.example\n')
  await field.press('ArrowUp')
  t.equal(await options.count(), 0, 'an arrow moves the cursor, and a mail address is no name')
  await field.press('Control+End')
  await field.pressSequentially('@a')
  await options.first().waitFor()
  t.ok((await options.allInnerTexts()).includes('Ada'))
  t.equal(await field.getAttribute('aria-activedescendant'), await options.first().getAttribute('id'))
  t.same(await findObstacles(page), [])
  await field.pressSequentially('da')
  await field.press('Enter')
  t.equal(await field.inputValue(), 'See a@b.example\n@Ada ')
  t.equal(await options.count(), 0)
  await field.press('Enter')
  t.equal(await field.inputValue(), 'See a@b.example\n@Ada \n', 'with a closed list, Enter adds a line')

  await field.pressSequentially('@A')
  await options.first().waitFor()
  await field.press('Escape')
  t.equal(await options.count(), 0)
  t.match(await field.inputValue(), /@A$/)
  await field.pressSequentially('nybody')
  t.equal(await options.count(), 0, 'a name that nobody has')

  const widthOf = async (locator: Locator) => (await locator.boundingBox())!.width
  t.equal(await widthOf(field), await widthOf(page.locator('.comment-form')), 'the field is as wide as its form')
  await page.setViewportSize({ width: 390, height: 800 })
  await field.fill('@')
  await options.first().waitFor()
  t.equal(await overflow(page), 0)
  t.same(await findObstacles(page, { only: 'sizes', within: page.locator('.suggestions') }), [])
})

t.test('a late response for earlier letters is not shown', async (t) => {
  const { page, open } = await openInboxTab(t, browser, { app, origin })
  await open('/inbox/logs')
  await hydrated(page)
  let release = () => {}
  const isHeld = new Promise<void>((resolve) => (release = resolve))
  await page.route(/suggestions\?text=a&/, async (route) => {
    await isHeld
    await route.fulfill({ json: { from: 0, texts: ['late='] } }).catch(() => {})
  })
  await page.route(/suggestions\?text=ab&/, (route) => route.fulfill({ json: { from: 0, texts: ['abc='] } }))
  const field = page.getByRole('combobox', { name: 'Search log lines' })
  const asked = page.waitForRequest(/text=a&/)
  await field.press('a')
  await asked
  await field.press('b')
  await page.getByRole('option', { name: 'abc=' }).waitFor()
  release()
  await page.unrouteAll({ behavior: 'wait' })
  t.same(await page.locator('.suggestions [role=option]').allInnerTexts(), ['abc='])
})

t.test('without scripts the field is a search field', async (t) => {
  const { page, open } = await openInboxTab(t, browser, { app, origin, javaScriptEnabled: false })
  await open('/inbox/issues/8/events')
  t.equal(await page.getByRole('searchbox', { name: 'Search events' }).count(), 1)
})
