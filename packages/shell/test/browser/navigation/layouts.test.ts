import t from 'tap'
import type { Page } from 'playwright'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { untilArrived, follow } from '@hull/test-helpers/navigation.ts'

const browser = await launchBrowser(t)
const { origin, logs } = await createListeningApp(t)

const count = (page: Page) => page.locator('output').innerText()

t.test('a layout that two pages share keeps its elements and its state', async (t) => {
  const { page, open, pathsOf } = await openTab(t, browser, { origin })
  await open('/lab/layout/a')
  await hydrated(page)
  await page.getByRole('button', { name: 'Count' }).click()
  await page.getByLabel('Note').fill('kept')
  await page.evaluate(() => {
    for (const element of document.querySelectorAll('header, .lab-notebook')) element.classList.add('same')
  })
  for (const [name, path] of [
    ['Page B', '/lab/layout/b'],
    ['Page A', '/lab/layout/a'],
    ['Page B', '/lab/layout/b']
  ] as const) {
    await page.getByRole('link', { name }).click()
    await untilArrived(page, path, name)
    t.equal(await count(page), '1')
    t.equal(await page.getByLabel('Note').inputValue(), 'kept')
    t.equal(await page.locator('.same').count(), 2)
    t.equal(await page.locator('nav [aria-current=page]').last().innerText(), name, 'the layout shows the new path')
  }
  await page.goBack()
  await untilArrived(page, '/lab/layout/a', 'Page A')
  t.equal(await count(page), '1')
  t.same(pathsOf('document'), ['/lab/layout/a'])
})

t.test('of nested layouts the outer ones remain when the inner one is removed', async (t) => {
  const { page, open } = await openTab(t, browser, { origin })
  await open('/lab/layout/a')
  await hydrated(page)
  await page.getByRole('button', { name: 'Count' }).click()
  await page.evaluate(() => {
    document.querySelector('header')!.classList.add('same')
  })
  await follow(page, '/lab/items')
  await untilArrived(page, '/lab/items', 'Items')
  t.equal(await page.locator('header.same').count(), 1)
  t.equal(await page.locator('.lab-notebook').count(), 0)
  await follow(page, '/lab/layout/b')
  await untilArrived(page, '/lab/layout/b', 'Page B')
  t.equal(await count(page), '0', 'the inner layout has a new state when it is shown again')
})

t.test('a failure is shown inside the layout, and removed by the next page', async (t) => {
  const { page, open, seen, take } = await openTab(t, browser, { origin })
  await open('/lab/layout/a')
  await hydrated(page)
  await page.evaluate(() => {
    document.querySelector('header')!.classList.add('same')
  })
  for (const path of ['/lab/error/data', '/lab/error/hydrate', '/lab/missing', '/lab/error/render']) {
    await follow(page, path)
    await until(page, () => document.querySelector('.fallback') !== null)
    t.equal(await page.locator('header').count(), 1)
    t.equal(await page.locator('header.same').count(), 1, path)
    await follow(page, '/lab/layout/b')
    await untilArrived(page, '/lab/layout/b', 'Page B')
    t.equal(await page.title(), 'Page B · Lab')
    t.equal(await page.locator('meta[name=robots]').count(), 1, 'the meta tag of the page')
  }
  logs.takeErrors()
  seen(500)
  seen(404)
  t.ok((await take()).every((line) => line.startsWith('console: Error: lab/error/')))
})
