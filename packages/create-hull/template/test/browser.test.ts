import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { chromium, type Locator } from 'playwright'
import { startServer } from './start-server.ts'

/** A browser of this machine, or the one from `npx playwright install chromium`. */
const executablePath = [
  process.env.HULL_CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome'
].find((path) => path && existsSync(path))

const MINUTE = 60_000

test('a page is hydrated, and a link changes the page without loading a document', { timeout: MINUTE }, async (t) => {
  const app = await startServer(t)
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  t.after(() => browser.close())
  const page = await browser.newPage({ baseURL: origin })
  const errors: Error[] = []
  page.on('pageerror', (error) => errors.push(error))

  await page.goto('/counter?start=3')
  const button = page.getByRole('button', { name: '3' })
  await hydrated(button)
  await button.click()
  await page.getByRole('button', { name: '4' }).waitFor()

  await page.evaluate(() => Object.assign(globalThis, { isFirstDocument: true }))
  await page.getByRole('link', { name: 'Home' }).click()
  await page.getByRole('heading', { level: 1, name: 'Hull is running' }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/')
  assert.ok(await page.evaluate(() => 'isFirstDocument' in globalThis), 'the document is still the first')
  assert.deepEqual(errors, [])
})

/** Waits until React has attached itself to an element. Before, nobody handles a click. */
async function hydrated(element: Locator): Promise<void> {
  const isHydrated = () => element.evaluate((node) => Object.keys(node).some((key) => key.startsWith('__react')))
  while (!(await isHydrated())) await new Promise((resolve) => setTimeout(resolve, 20))
}
