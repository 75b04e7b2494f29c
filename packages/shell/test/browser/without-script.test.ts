import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { launchBrowser, openTab, textOf } from '@hull/test-helpers/browser.ts'

const browser = await launchBrowser(t)

t.test('without JavaScript', async (t) => {
  const { origin, logs } = await createListeningApp(t)
  const open = (t: Parameters<typeof openTab>[0]) => openTab(t, browser, { origin, javaScriptEnabled: false })

  t.test('a visitor signs in from a 401, returns to the page, and signs out', async (t) => {
    const { page, open: go, press } = await open(t)
    await go('/lab/unauthorized?in=data', 401)
    await press(page.getByRole('link', { name: 'Sign in' }))
    await page.getByLabel('Name').fill('Ada & "Co"')
    await press(page.getByRole('button', { name: 'Sign in' }))
    t.equal(page.url(), `${origin}/lab/unauthorized?in=data`)
    t.match(await textOf(page), 'You are signed in as Ada & "Co"')
    await go('/lab/unauthorized')

    await press(page.getByRole('link', { name: 'Go to sign out' }))
    t.match(await textOf(page), 'Signed in as Ada & "Co"')
    await press(page.getByRole('button', { name: 'Sign out' }))
    t.equal(page.url(), `${origin}/lab/sign-in`)
    await go('/lab/unauthorized', 401)
  })

  t.test('a sign-in does not redirect to another origin', async (t) => {
    const { page, open: go, press } = await open(t)
    await go('/lab/sign-in?return=https%3A%2F%2Fother.example%2F')
    await page.getByLabel('Name').fill('Ada')
    await press(page.getByRole('button', { name: 'Sign in' }))
    t.equal(page.url(), `${origin}/lab/sign-in`)
  })

  t.test('a form shows its errors, keeps the typed values, and accepts valid input', async (t) => {
    const { page, open: go, press, seen } = await open(t)
    await go('/lab/form')
    await page.getByLabel('Name').fill('<b>Ada</b>')
    await page.getByLabel('Amount').fill('9000')
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'POST'),
      press(page.getByRole('button', { name: 'Send the claim' }))
    ])
    t.equal(answer.status(), 422)
    seen(422)
    t.match(await page.getByRole('alert').innerText(), /Check 2 fields/)
    t.equal(await page.getByLabel('Name').inputValue(), '<b>Ada</b>')
    t.equal(await page.getByLabel('Amount').inputValue(), '9000')
    await page.getByRole('link', { name: /^Claim more than nothing/ }).click()
    t.ok(await page.evaluate(() => document.activeElement?.id === 'amount'), 'each error is a link to its field')

    await page.getByLabel('E-mail').fill('ada@example.org')
    await page.getByLabel('Amount').fill('12,5')
    await press(page.getByRole('button', { name: 'Send the claim' }))
    t.equal(page.url(), `${origin}/lab/form?sent=12.50`)
    t.match(await page.getByRole('status').innerText(), 'A claim of 12.50 was taken.')
  })

  t.test('a failing upstream is retried three times, and no more', async (t) => {
    const { page, open: go } = await open(t)
    for (const fail of [0, 1, 2, 3]) {
      await go(`/lab/flaky?fail=${fail}`)
      const answers = await page.locator('tbody .state').allInnerTexts()
      t.same(answers, [...Array<string>(fail).fill('503 unavailable'), '200 OK'])
    }
    await go('/lab/flaky?fail=4', 500)
    const [line] = logs.takeErrors()
    t.match(line, { err: { code: 'APP_FETCH_FAILED' } })
    t.match(await textOf(page), `Digest: ${line?.digest}`)
  })

  t.test('a stream shows its first part, and placeholders for its late parts', async (t) => {
    const { page, open: go } = await open(t)
    await go('/lab/stream')
    t.match(await textOf(page), /This much was sent at once.*Reviews\s+On the way …\s+Stock\s+On the way …/s)
  })

  t.test('a page that would fail in the browser can be read', async (t) => {
    const { page, open: go } = await open(t)
    await go('/lab/error/hydrate')
    t.match(await textOf(page), 'As the server rendered it')
  })
})
