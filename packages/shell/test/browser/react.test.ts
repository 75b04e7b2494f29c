import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { followLink, openInteractive } from '@hull/test-helpers/moves.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const browser = await launchBrowser(t)
const site = await buildSite(join(import.meta.dirname, '../fixtures/react'))
const { app, origin } = await createListeningApp(t, { site })
const open = (t: Test, at: string) => openInteractive(t, browser, { origin, at })

t.test('while an action of React is pending', async (t) => {
  t.test('the action can wait for a fetcher, which refreshes the page', async (t) => {
    const { page, pathsOf } = await open(t, '/votes')
    const count = Number.parseInt(await page.locator('#votes').innerText()) + 1
    await page.getByLabel('Name').fill('Ada')
    await page.getByRole('button', { name: 'Vote' }).click()
    await until(page, () => /by (?!nobody$|…)/.test(document.querySelector('#votes')!.textContent!))
    t.equal(await page.locator('#votes').innerText(), `${count} of ${count}, by Ada`)
    t.same(pathsOf('document'), [])
  })

  t.test('a page can be refreshed, and left', async (t) => {
    const tab = await open(t, '/votes')
    const { page, pathsOf } = tab
    const count = Number.parseInt(await page.locator('#votes').innerText()) + 1
    await page.getByRole('button', { name: 'Wait' }).click()
    await page.getByRole('button', { name: 'Waiting' }).waitFor()
    await page.getByRole('button', { name: 'Count' }).click()
    await until(page, (text) => document.querySelector('#votes')!.textContent!.startsWith(text), `${count} of ${count}`)
    await followLink(tab, 'Home', 'Home')
    t.same(pathsOf('document'), [])
  })
})

t.test('a form whose action is a function', async (t) => {
  t.test(
    'has a script that the content security policy allows, except in a document that is cached for all visitors',
    async (t) => {
      const { body, headers } = await app.inject('/votes')
      const nonce = /<script nonce="([\w-]+)">addEventListener\("submit"/.exec(body)?.[1]
      t.match(headers['content-security-policy'], `'nonce-${nonce}'`)
      const cached = await app.inject('/cached')
      t.notMatch(cached.body, /<script(?! type)/)
      t.notMatch(cached.headers['content-security-policy'], 'nonce-')
      t.notMatch((await app.inject('/')).body, 'nonce')
    }
  )

  t.test('is sent after hydration if it was submitted before', async (t) => {
    const tab = await openTab(t, browser, { origin })
    const { page } = tab
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/*.js', async (route) => {
      await released
      await route.continue()
    })
    await page.goto('/votes', { waitUntil: 'commit' })
    await page.getByLabel('Name').fill('Grace')
    await page.getByRole('button', { name: 'Vote' }).click()
    release()
    await until(page, () => document.querySelector('#votes')!.textContent!.endsWith('by Grace'))
    t.same(tab.pathsOf('document'), ['/votes'])
  })

  t.test('works on a page that is cached for all visitors', async (t) => {
    const { page } = await open(t, '/cached')
    await page.getByLabel('Name').fill('Edith')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Edith').waitFor()
  })
})

t.test('sends a form in a portal, and not the form of the component around it', async (t) => {
  const { page, pathsOf } = await open(t, '/nested?new')
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('inner', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Open' }).click()
  await page.evaluate(() => document.querySelector<HTMLFormElement>('body > form')!.requestSubmit())
  await page.getByText('inner,inner', { exact: true }).waitFor()
  t.same(pathsOf('document'), [])
})

t.test('a handler that stops the propagation of a click or a submit does not cause a new document', async (t) => {
  const tab = await open(t, '/stopped')
  const renewed = tab.page.waitForResponse('**/-/data/stopped')
  await tab.page.getByRole('button', { name: 'Post' }).click()
  await renewed
  t.equal(await tab.page.locator('h1').innerText(), 'Stopped')
  await followLink(tab, 'Inside', 'Votes')
  t.same(tab.pathsOf('document'), [])
})

t.test('<Link> passes its element to a ref', async (t) => {
  const { page } = await open(t, '/refs')
  await page.getByRole('button', { name: 'Measure' }).click()
  await page.getByText('Seen, Plain', { exact: true }).waitFor()
})

t.test('a page that suspends is shown in a Suspense boundary of its layout', async (t) => {
  const tab = await open(t, '/')
  await followLink(tab, 'Lazy', 'Lazy')
  await tab.page.getByText('The part is there').waitFor()
  t.same(tab.pathsOf('document'), [])
})
