import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readBuild } from '../../../../shell/src/server/build-id.ts'
import { importMaps } from '../../../src/symbolication/import.ts'
import { createSymbolicator } from '../../../src/symbolication/symbolicator.ts'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, type Tab } from '@hull/test-helpers/browser.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { monitored, readProvider } from '@hull/test-helpers/monitored.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { openProvider } from '@hull/test-helpers/provider.ts'
import { buildSite, type TestSite } from '@hull/test-helpers/site.ts'
import { fromEvent, openStore } from '@hull/test-helpers/source-maps.ts'

const PAGES = join(import.meta.dirname, '../../../../shell/test/fixtures/thrown')

const browser = await launchBrowser(t)
const provider = await openProvider(t)
const { errors } = readProvider(provider)
const store = openStore(t)

/** Builds the same pages after an edit that moves every line and changes the content of each chunk. */
async function buildEdited() {
  const folder = createFolder(t)
  cpSync(PAGES, folder, { recursive: true })
  for (const path of globSync('**/*.tsx', { cwd: folder })) {
    const page = join(folder, path)
    writeFileSync(page, `// Edited.\nObject.assign(globalThis, { edited: true })\n${readFileSync(page, 'utf8')}`)
  }
  const site = await buildSite(folder)
  t.teardown(() => rmSync(site.root, { recursive: true, force: true }))
  return site
}

const before = await buildSite(PAGES)
const after = await buildEdited()
const data = createFolder(t)

/** Starts a production build, and imports its source maps as at a start. */
async function deploy(site: TestSite, port = 0) {
  importMaps(store, { folder: join(site.dist, 'maps'), release: readBuild(site.dist).id, now: Date.now() })
  const { app } = await createTestApp(t, { site, env: { SENTRY_DSN: provider.dsn, DATA_DIR: data } })
  const origin = await app.listen({ host: '127.0.0.1', port })
  return { app, origin, port: Number(new URL(origin).port) }
}

/** Clicks a button that throws, and returns the frames of the event with their sources. */
async function fail({ page, take }: Tab, button: 'nested' | 'async' | 'lazy') {
  provider.seen.splice(0)
  await page.getByRole('button', { name: button }).click()
  const [event] = await eventually(() => errors().length > 0 && errors())
  const detail = fromEvent(event!)
  const count = createSymbolicator(store).resolve(detail, new Map())
  await take()
  const { frames } = detail.exceptions.at(-1)!
  return { own: frames.filter(({ inApp }) => inApp), count, release: detail.release }
}

function lineOf(file: string, comment: string, moved: number) {
  const lines = readFileSync(join(PAGES, file), 'utf8').split('\n')
  return lines.findIndex((line) => line.endsWith(`// ${comment}`)) + 1 + moved
}

const EXPECTED = [
  ['nested', 'client/pages/index.tsx', ['priceOf', 'total', 'onClick'], '  return order!.lines[0]!.price // nested'],
  [
    'async',
    'client/pages/index.tsx',
    ['loadOrder', 'load'],
    "  if (order.lines.length === 0) throw new RangeError('thrown after waiting') // async"
  ],
  ['lazy', 'client/pages/receipt.tsx', ['format', 'Receipt'], '  return amount!.toFixed(2) // lazy']
] as const

/**
 * Checks the frames of errors in a tab.
 * @param site the build whose code is in the tab
 * @param moved number of lines that its edit inserted above
 */
async function check(test: Test, tab: Tab, site: TestSite, cases: readonly (typeof EXPECTED)[number][], moved: number) {
  for (const [button, file, functions, line] of cases) {
    const { own, count, release } = await fail(tab, button)
    test.equal(release, readBuild(site.dist).id)
    test.match(own[0], { file, source: { line }, built: { file: /\/assets\/[^/]+\.js$/ } }, button)
    test.equal(own[0]!.line, lineOf(file.replace('client/', ''), button, moved))
    test.same(
      own.slice(0, functions.length).map((frame) => frame.function),
      functions
    )
    test.equal(count.unresolved, 0)
  }
}

async function openShop(origin: string) {
  const tab = await openTab(t, browser, { origin })
  await tab.open('/')
  await hydrated(tab.page)
  await monitored(tab.page)
  return tab
}

t.test('frames of a production build have their sources, also in a tab that was opened before a deploy', async (t) => {
  const first = await deploy(before)
  const old = await openShop(first.origin)
  await check(t, old, before, EXPECTED, 0)
  // The lazy module stays broken, so the page is loaded again.
  await old.open('/')
  await hydrated(old.page)
  await monitored(old.page)
  await first.app.close()
  const second = await deploy(after, first.port)
  await check(t, old, before, EXPECTED.slice(0, 2), 0)
  const fresh = await openShop(second.origin)
  await check(t, fresh, after, EXPECTED, 2)
})
