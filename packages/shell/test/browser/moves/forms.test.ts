import t from 'tap'
import type { Page } from 'playwright'
import { launchBrowser, until, type Tab } from '@hull/test-helpers/browser.ts'
import { openInteractive, pause, startMoves, untilInteractive } from '@hull/test-helpers/moves.ts'
import { untilArrived, follow } from '@hull/test-helpers/navigation.ts'
import { eventually } from '@hull/test-helpers/patience.ts'

const browser = await launchBrowser(t)
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
// POST requests, except reports to the monitoring route.
const posts = ({ requests }: Tab) =>
  requests.filter((request) => request.method() === 'POST' && !request.url().endsWith('/monitoring'))
const queryOf = async (page: Page) => JSON.parse(await page.locator('#query').innerText()) as Array<[string, string]>

t.test('a posted form', async (t) => {
  const { origin } = await startMoves(t)
  const open = (t: Parameters<typeof openInteractive>[0]) => openInteractive(t, browser, { origin, at: '/form' })

  t.test('that is accepted navigates without a document, and its fields are reset', async (t) => {
    const tab = await open(t)
    const taken = Number(await tab.page.locator('#taken').innerText())
    await tab.page.getByLabel('Name').fill('Ada')
    await tab.page.getByLabel('Text').fill('one\ntwo')
    await press(tab.page, 'Send')
    await tab.page.waitForURL(/\?name=Ada/)
    t.same(await queryOf(tab.page), [
      ['name', 'Ada'],
      ['text', 'one\r\ntwo']
    ])
    t.equal(await tab.page.getByLabel('Name').inputValue(), '')
    t.equal(await tab.page.getByLabel('Text').inputValue(), '')
    t.equal(Number(await tab.page.locator('#taken').innerText()), taken + 1)
    t.equal(posts(tab).length, 1)
    t.same(tab.pathsOf('document'), [])
  })

  t.test('has the name and value of its button in browsers that do not add them', async (t) => {
    const tab = await open(t)
    await tab.page.addInitScript(() => {
      const Form = FormData
      Object.assign(window, {
        FormData: class extends Form {
          constructor(form?: HTMLFormElement) {
            super(form)
          }
        }
      })
    })
    await tab.open('/form')
    await untilInteractive(tab)
    await tab.page.getByLabel('Name').fill('Ada')
    await press(tab.page, 'Send with')
    await tab.page.waitForURL(/name=Ada&text=&with=submitter/)
  })

  t.test('that is accepted with keepScroll keeps the scroll position, although its fields are reset', async (t) => {
    const viewport = { width: 400, height: 150 }
    const { page } = await openInteractive(t, browser, { origin, at: '/form', viewport })
    const button = page.getByRole('button', { name: 'Send and stay' })
    await button.focus()
    const before = await page.evaluate(() => scrollY)
    t.ok(before > 0)
    await button.evaluate((element) => element.toggleAttribute('data-old'))
    await page.keyboard.press('Enter')
    await page.locator('button[data-old]').waitFor({ state: 'detached' })
    t.equal(await page.evaluate(() => scrollY), before)
  })

  t.test('that is accepted does not change the page of another record', async (t) => {
    const { page } = await openInteractive(t, browser, { origin, at: '/note/1' })
    await press(page, 'Saved 0')
    await page.getByRole('button', { name: 'Saved 1' }).waitFor()
    await page.getByLabel('Words').fill('of the first')
    await follow(page, '/note/11')
    await untilArrived(page, '/note/11', 'Note 11')
    t.equal(await page.getByLabel('Words').inputValue(), '')
  })

  t.test('that is accepted resets the page once: a later change of the query keeps input', async (t) => {
    const tab = await open(t)
    await tab.page.getByLabel('Name').fill('Ada')
    await press(tab.page, 'Send')
    await tab.page.waitForURL(/\?name=Ada/)
    await tab.page.getByLabel('Text').fill('a draft')
    await tab.page.evaluate(() => {
      document.querySelector('h1')!.insertAdjacentHTML('afterend', '<a href="/form?view=2">Another view</a>')
    })
    await tab.page.getByRole('link', { name: 'Another view' }).click()
    await tab.page.waitForURL(/\?view=2/)
    t.same(await queryOf(tab.page), [['view', '2']])
    t.equal(await tab.page.getByLabel('Text').inputValue(), 'a draft')
    t.same(tab.pathsOf('document'), [])
  })

  t.test('that is refused shows the errors without a document, and keeps the input and the focus', async (t) => {
    const tab = await open(t)
    await tab.page.getByLabel('Text').fill('kept')
    await press(tab.page, 'Send')
    await tab.page.getByRole('alert').filter({ hasText: 'Say who you are.' }).waitFor()
    t.equal(await tab.page.getByLabel('Text').inputValue(), 'kept')
    t.equal(await tab.page.evaluate(() => document.activeElement?.textContent), 'Send')
    t.equal(tab.page.url(), `${origin}/form`)
    tab.seen(422)
    t.same(tab.pathsOf('document'), [])
    await tab.page.getByLabel('Name').fill('Ada')
    await press(tab.page, 'Send')
    await tab.page.waitForURL(/\?name=Ada&text=kept/)
    t.equal(await tab.page.locator('#errors').count(), 0)
  })

  t.test('that was refused before the page was interactive keeps its values when the page refreshes', async (t) => {
    const tab = await open(t)
    const { page } = tab
    await page.locator('#post').evaluate((form) => form.toggleAttribute('data-document'))
    await page.getByLabel('Name').fill('again')
    await press(page, 'Send')
    await page.locator('#errors').waitFor()
    tab.seen(429)
    await untilInteractive(tab)
    const refreshed = page.waitForResponse('**/-/data/form')
    await press(page, 'Refresh')
    await (await refreshed).finished()
    await pause()
    t.equal(await page.getByLabel('Name').inputValue(), 'again')
    t.equal(await page.locator('#errors').innerText(), 'Try again in 1 second.')
  })

  t.test('that is refused with another status code is also shown without a document', async (t) => {
    const tab = await open(t)
    await tab.page.getByLabel('Name').fill('again')
    await tab.page.getByLabel('Text').fill('kept')
    await press(tab.page, 'Send')
    await tab.page.getByRole('alert').filter({ hasText: 'Try again in 1 second.' }).waitFor()
    t.equal(await tab.page.getByLabel('Text').inputValue(), 'kept')
    tab.seen(429)
    t.same(tab.pathsOf('document'), [])
  })

  t.test('is sent once if it is submitted twice', async (t) => {
    const tab = await open(t)
    await tab.page.getByLabel('Name').fill('Ada')
    await tab.page.evaluate(() => {
      document.querySelector('form')!.action = '/form?ms=400'
    })
    await tab.page.getByRole('button', { name: 'Send', exact: true }).dblclick()
    await tab.page.getByLabel('Name').press('Enter')
    await tab.page.waitForURL(/name=Ada/)
    await pause()
    t.equal(posts(tab).length, 1)
  })

  for (const [button, value] of [
    ['Send with', 'submitter'],
    ['Send from outside', 'outside']
  ] as const) {
    t.test(`includes the value of the button that submits it (${button})`, async (t) => {
      const tab = await open(t)
      await tab.page.getByLabel('Name').fill('Ada')
      await press(tab.page, button)
      await tab.page.waitForURL(/name=Ada/)
      t.same((await queryOf(tab.page)).at(-1), ['with', value])
      t.same(tab.pathsOf('document'), [])
    })
  }

  t.test('uses the action, method, encoding and target of its button', async (t) => {
    const tab = await open(t)
    await tab.page.getByLabel('Name').fill('Ada')
    await press(tab.page, 'Send in parts')
    await tab.page.waitForURL(/name=Ada/)
    t.match(await posts(tab)[0]!.headerValue('content-type'), /^multipart\/form-data/)
    await tab.page.getByLabel('Name').fill('Ada')
    await press(tab.page, 'Send as a query')
    await until(tab.page, () => document.title === 'Short')
    t.equal(tab.page.url(), `${origin}/short?name=Ada&text=`)
    t.same(tab.pathsOf('document'), [])
    await tab.page.goBack()
    await until(tab.page, () => document.title === 'Form')
    await tab.page.getByLabel('Name').fill('Ada')
    const opened = tab.page.context().waitForEvent('page')
    await press(tab.page, 'Send into a tab')
    await (await opened).waitForURL(/name=Ada/)
    t.equal(posts(tab).length, 1, 'the browser posts the form with a target')
  })

  t.test('with files sends their bytes', async (t) => {
    const tab = await open(t)
    await tab.page.getByLabel('File').setInputFiles([
      { name: 'ä "b".bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 1, 2, 255]) },
      { name: 'two.txt', mimeType: 'text/plain', buffer: Buffer.from('\n') }
    ])
    await press(tab.page, 'Send the file')
    await tab.page.waitForURL(/file=/)
    t.same(await queryOf(tab.page), [
      ['file', 'ä "b".bin 4 application/octet-stream 012255'],
      ['file', 'two.txt 1 text/plain 10']
    ])
    t.equal(await tab.page.getByLabel('File').inputValue(), '', 'the file input is empty afterwards')
    t.same(tab.pathsOf('document'), [])
  })

  t.test('with the method `dialog` or the encoding text/plain is left to the browser', async (t) => {
    const tab = await open(t)
    await press(tab.page, 'Close')
    await until(tab.page, () => !document.querySelector('dialog')!.open)
    t.equal(posts(tab).length, 0)
    await press(tab.page, 'Send plainly')
    await eventually(() => posts(tab).length === 1)
    t.match(await posts(tab)[0]!.headerValue('content-type'), /^text\/plain/)
    t.equal(posts(tab)[0]!.resourceType(), 'document')
    await tab.page.waitForLoadState()
    await tab.take()
  })
})

t.test('a GET form navigates to a URL with its fields', async (t) => {
  const { origin } = await startMoves(t)
  const tab = await openInteractive(t, browser, { origin, at: '/short' })
  await tab.page.getByRole('link', { name: 'Form' }).click()
  await until(tab.page, () => document.title === 'Form')
  const search = tab.page.getByLabel('Search')
  await search.fill('a b&ü')
  await search.press('Enter')
  await until(tab.page, () => location.search !== '')
  t.equal(
    tab.page.url(),
    `${origin}/form?q=a+b%26%C3%BC&lines=a%0D%0Ab`,
    'the query is encoded as the browser encodes it'
  )
  t.same(await queryOf(tab.page), [
    ['q', 'a b&ü'],
    ['lines', 'a\r\nb']
  ])
  t.equal(
    await tab.page.evaluate(() => document.activeElement?.getAttribute('name')),
    'q',
    'the focus remains on the field'
  )
  t.equal(await search.inputValue(), 'a b&ü', 'the field keeps its value')
  await tab.page.goBack()
  await until(tab.page, () => document.title === 'Short')
  t.same(tab.pathsOf('document'), [])
})
