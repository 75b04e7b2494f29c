import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium, type Browser } from 'playwright'
import { openSeedStore, seedShowcase } from '../packages/inbox/src/seed/index.ts'
import { CHROMIUM_ARGS, chromiumPath } from './chromium.js'

/*
 * `node scripts/pictures.ts` takes the screenshots for the documentation, with the existing build: the home page, and
 * every page of the inbox, full and empty, in two widths and two themes.
 */

const ROOT = join(import.meta.dirname, '..')
const folder = join(ROOT, 'packages/inbox/docs/pictures')

const SCREENS = {
  overview: '/inbox',
  issues: '/inbox/issues',
  issue: '/inbox/issues',
  traces: '/inbox/traces',
  trace: '/inbox/traces',
  vitals: '/inbox/vitals',
  releases: '/inbox/releases',
  doctor: '/inbox/doctor',
  settings: '/inbox/settings'
}

/** Title of an issue that has source lines, breadcrumbs and a trace. */
const ISSUE = /reading 'price'/

/** Pages of one issue or trace, which an empty inbox does not have. */
const OF_ONE = new Set(['issue', 'trace'])

const SIZES = { wide: { width: 1280, height: 900 }, narrow: { width: 390, height: 844 } }
const THEMES = ['light', 'dark'] as const

mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_ARGS })
await picture(browser, 'full')
await picture(browser, 'empty')
await browser.close()

async function picture(browser: Browser, state: 'full' | 'empty') {
  const data = mkdtempSync(join(tmpdir(), 'hull-pictures-'))
  if (state === 'full') {
    const store = openSeedStore(join(data, 'inbox.db'))
    seedShowcase(store)
    store.db.exec('PRAGMA journal_mode = WAL')
    store.close()
  }
  const { link, stop } = await startServer(data)
  const context = await browser.newContext({ baseURL: new URL(link).origin, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(link)
  await page.locator('main button[type=submit]').click()
  await page.waitForURL((url) => url.pathname === '/inbox')
  for (const [name, path] of Object.entries(SCREENS)) {
    if (state === 'empty' && OF_ONE.has(name)) continue
    await page.goto(path)
    if (name === 'issue') {
      await page.locator('[data-row]', { hasText: ISSUE }).locator('[data-row-link]').click()
      await page.getByRole('heading', { name: 'Stack' }).waitFor()
    }
    if (name === 'trace')
      await page.goto((await page.locator('main a[href^="/inbox/traces/"]').first().getAttribute('href'))!)
    for (const [size, viewport] of Object.entries(SIZES)) {
      for (const colorScheme of THEMES) {
        await page.setViewportSize(viewport)
        await page.emulateMedia({ colorScheme })
        const file = join(folder, `${name}-${state}-${size}-${colorScheme}.jpg`)
        await page.screenshot({ path: file, type: 'jpeg', quality: 70 })
      }
    }
  }
  if (state === 'empty') {
    await page.setViewportSize(SIZES.wide)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto('/')
    await page.screenshot({ path: join(ROOT, 'docs/pictures/home.png') })
  }
  await context.close()
  await stop()
  rmSync(data, { recursive: true })
}

/** Starts the server. @returns the printed sign-in link, and a function that stops the server */
async function startServer(data: string) {
  const env = { PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: '0', DATA_DIR: data, LOG_LEVEL: 'silent' }
  const child = spawn(process.execPath, ['server.ts'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  for await (const line of createInterface(child.stdout)) {
    const [link] = /http\S+token=\S+/.exec(line) ?? []
    if (link !== undefined) return { link, stop: () => (child.kill('SIGTERM'), exited) }
  }
  throw new Error('The server printed no sign-in link')
}
