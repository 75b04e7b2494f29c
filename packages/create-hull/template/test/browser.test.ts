import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { chromium } from 'playwright'
import { startServer } from './start-server.ts'

/** A browser of this machine, or the one from `npx playwright install chromium`. */
const executablePath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
  (path) => path && existsSync(path)
)

test('a page is hydrated, and a link changes the page without loading a document', async (t) => {
  const app = await startServer(t)
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  t.after(() => browser.close())
  const page = await browser.newPage({ baseURL: origin })
  const errors: Error[] = []
  page.on('pageerror', (error) => errors.push(error))

  await page.goto('/counter?start=3')
  const button = page.getByRole('button', { name: '3' })
  await page.waitForLoadState('networkidle')
  await button.click()
  await page.getByRole('button', { name: '4' }).waitFor()

  await page.evaluate(() => Object.assign(globalThis, { isFirstDocument: true }))
  await page.getByRole('link', { name: 'Home' }).click()
  await page.getByRole('heading', { level: 1, name: 'Hull is running' }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/')
  assert.ok(await page.evaluate(() => 'isFirstDocument' in globalThis), 'the document is still the first')
  assert.deepEqual(errors, [])
})
