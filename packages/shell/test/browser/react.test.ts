import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { launchBrowser, until } from '@hull/test-helpers/browser.ts'
import { follow, openAlive } from '@hull/test-helpers/moves.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const browser = await launchBrowser(t)
const site = await buildSite(join(import.meta.dirname, '../fixtures/react'))
const { origin } = await createListeningApp(t, { site })
const open = (t: Test, at: string) => openAlive(t, browser, { origin, at })

t.test('while an action of React is pending', async (t) => {
  t.test('it may wait for a fetcher, which renews the page', async (t) => {
    const { page, pathsOf } = await open(t, '/votes')
    const count = Number.parseInt(await page.locator('#votes').innerText()) + 1
    await page.getByLabel('Name').fill('Ada')
    await page.getByRole('button', { name: 'Vote' }).click()
    await until(page, () => /by (?!nobody$|…)/.test(document.querySelector('#votes')!.textContent!))
    t.equal(await page.locator('#votes').innerText(), `${count} of ${count}, by Ada`)
    t.same(pathsOf('document'), [])
  })

  t.test('a page is renewed, and left', async (t) => {
    const tab = await open(t, '/votes')
    const { page, pathsOf } = tab
    const count = Number.parseInt(await page.locator('#votes').innerText()) + 1
    await page.getByRole('button', { name: 'Wait' }).click()
    await page.getByRole('button', { name: 'Waiting' }).waitFor()
    await page.getByRole('button', { name: 'Count' }).click()
    await until(page, (text) => document.querySelector('#votes')!.textContent!.startsWith(text), `${count} of ${count}`)
    await follow(tab, 'Home', 'Home')
    t.same(pathsOf('document'), [])
  })
})
