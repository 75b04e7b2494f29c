import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright'
import t from 'tap'
import type { UserConfig } from 'vite'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { startDevServer } from '@hull/test-helpers/dev-server.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { PATIENCE } from '@hull/test-helpers/patience.ts'
import { buildSite } from '@hull/test-helpers/site.ts'
import { typeCheck } from '@hull/test-helpers/type-check.ts'
import { PARTS, removePart } from '../../../../packages/create-hull/src/remove.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const text = readFileSync(join(ROOT, 'docs/styles.md'), 'utf8')

/** The page whose layout calls useNonce(). */
const SETTINGS = '/settings'

/** Pages of docs/styles.md, each with a style that its plugin or stylesheet sets. */
const PAGES = [
  { path: '/ropes', title: 'Ropes', selector: 'main h1', property: 'font-size', value: '30px' },
  {
    path: '/boats',
    title: 'Boats',
    selector: 'main article',
    property: 'border-left-color',
    value: 'rgb(0, 128, 128)'
  },
  { path: '/prices', title: 'Prices', selector: 'main li', property: 'color', value: 'rgb(128, 0, 0)' },
  { path: '/anchors', title: 'Anchors', selector: 'main h1 svg[aria-label] > circle', property: 'r', value: '2px' },
  { path: '/stock', title: 'Stock', selector: 'main li', property: 'display', value: 'list-item' },
  { path: SETTINGS, title: 'Settings', selector: 'main h1', property: 'font-weight', value: '700' },
  { path: '/harbour', title: 'Harbour', selector: 'main picture > img', property: 'max-width', value: '100%' },
  {
    path: '/fonts',
    title: 'Set in Inter',
    selector: 'main h1',
    property: 'font-family',
    value: 'Inter, system-ui, sans-serif'
  }
] as const

const ALLOWS_STYLE_ATTRIBUTES = /^CSP="(.+)"$/m.exec(text)![1]!

/** Writes the examples, and a page with links to all of them. */
function writeExamples(client: string) {
  for (const [, code, path] of text.matchAll(/^```\w+\n((?:\/\/|\/\*|<!--) client\/(\S+)[^]*?)^```$/gm)) {
    mkdirSync(dirname(join(client, path!)), { recursive: true })
    writeFileSync(join(client, path!), code!)
  }
  const links = PAGES.map(({ path }) => `<Link href="${path}" prefetch="none">${path}</Link>`).join(' ')
  const index = `import { Link } from '@hull/shell/client'\nexport default () => <><h1>Index</h1>${links}</>\n`
  writeFileSync(join(client, 'pages/index.tsx'), index)
  mkdirSync(join(client, 'images'), { recursive: true })
  cpSync(join(ROOT, 'docs/pictures/home.png'), join(client, 'images/harbour.png'))
}

function writeViteConfig(folder: string) {
  const [, code] = /```ts\n\/\/ vite\.config\.ts\n([^]*?)```/.exec(text)!
  writeFileSync(join(folder, 'vite.config.ts'), code!)
}

async function build() {
  const folder = createFolder(t, { 'package.json': '{"type":"module"}' })
  writeViteConfig(folder)
  writeExamples(join(folder, 'client'))
  cpSync(join(ROOT, 'client/layouts/default.tsx'), join(folder, 'client/layouts/default.tsx'))
  const { default: config } = (await import(join(folder, 'vite.config.ts'))) as { default: UserConfig }
  // Without hull() and monitoringBuild(), which buildSite adds itself, and without the bundle of the server's packages.
  return buildSite(join(folder, 'client'), { vite: { plugins: config.plugins!.slice(1, -2) } })
}

// The browser is launched first, because launchBrowser also sets the time limit of the file.
const browser = await launchBrowser(t)
const site = await build()
const { origin, app } = await createListeningApp(t, { site, env: { CSP: ALLOWS_STYLE_ATTRIBUTES } })

type Example = (typeof PAGES)[number]

/** Reads in one call whether the page has its heading, and whether it has its style. */
const readState = (page: Page, { title, selector, property, value }: Example) =>
  page.evaluate(
    ([title, selector, property, value]) => {
      const element = document.querySelector(selector)
      return {
        isShown: document.querySelector('main h1')?.textContent?.trim() === title,
        isStyled: element !== null && getComputedStyle(element).getPropertyValue(property) === value
      }
    },
    [title, selector, property, value] as const
  )

/** Waits until the page is shown, or has its style. @returns its state at that moment */
async function waitFor(page: Page, example: Example, what: 'isShown' | 'isStyled') {
  const end = performance.now() + PATIENCE
  let state = await readState(page, example)
  while (!state[what] && performance.now() < end) state = await readState(page, example)
  return state
}

t.test('the examples of docs/styles.md', async (t) => {
  t.test('are type-checked as one application', async (t) => {
    const { code, output } = await typeCheck(site)
    t.equal(code, 0, output)
  })

  for (const javaScriptEnabled of [true, false])
    t.test(`have their styles in a document ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async (t) => {
      const { page, open } = await openTab(t, browser, { origin, javaScriptEnabled })
      for (const example of PAGES) {
        await open(example.path)
        t.same(await readState(page, example), { isShown: true, isStyled: true }, example.path)
        t.equal(await page.locator('body link[rel=stylesheet]').count(), 0)
        if (javaScriptEnabled) await hydrated(page)
      }
    })

  t.test('have their styles as soon as a navigation shows them', async (t) => {
    const { page, open, pathsOf } = await openTab(t, browser, { origin })
    for (const example of PAGES.filter(({ path }) => path !== SETTINGS)) {
      await open('/')
      await hydrated(page)
      await page.getByRole('link', { name: example.path, exact: true }).click()
      t.same(await waitFor(page, example, 'isShown'), { isShown: true, isStyled: true }, example.path)
    }
    t.same(new Set(pathsOf('document')), new Set(['/']))
  })

  t.test('load a document for a page with useNonce() if the current document has no nonce', async (t) => {
    const { page, open, pathsOf } = await openTab(t, browser, { origin })
    const follow = (path: string) =>
      Promise.all([page.waitForURL(`**${path}`), page.getByRole('link', { name: path, exact: true }).click()])
    await open('/')
    await hydrated(page)
    await follow(SETTINGS)
    await hydrated(page)
    const settings = PAGES.find(({ path }) => path === SETTINGS)!
    t.same(await readState(page, settings), { isShown: true, isStyled: true })
    t.same(pathsOf('document'), ['/', SETTINGS])
    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByRole('heading', { name: 'Index' }).waitFor()
    await follow(SETTINGS)
    t.same(pathsOf('document'), ['/', SETTINGS], 'a document with a nonce is not loaded again')
  })

  t.test('load a shared stylesheet only once', async (t) => {
    const { page, open, pathsOf } = await openTab(t, browser, { origin })
    await open('/boats')
    await hydrated(page)
    await page.getByRole('link', { name: 'New boats' }).click()
    await page.getByRole('heading', { name: 'New boats' }).waitFor()
    const color = await page.locator('article').evaluate((card) => getComputedStyle(card).borderLeftColor)
    t.equal(color, 'rgb(0, 128, 128)')
    t.equal(pathsOf('stylesheet').filter((path) => path.includes('/boat-card-')).length, 1)
  })

  t.test('work when they are compiled by the React Compiler', async (t) => {
    const { page, open, pathsOf } = await openTab(t, browser, { origin })
    await open('/stock')
    await hydrated(page)
    await page.getByRole('button').click()
    await page.getByText('Asked 1 times').waitFor()
    const script = pathsOf('script').find((path) => path.includes('/stock-'))!
    t.match((await app.inject(script)).body, 'react.memo_cache_sentinel')
  })

  t.test('need no build plugin at run time on the server', async (t) => {
    const folder = join(site.dist, 'server')
    const server = globSync('**/*.js', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'))
    const imports = Array.from(server.join('\n').matchAll(/^import .*?["']([^"']+)["'];?$/gm), ([, name]) => name!)
    t.ok(imports.length > 0)
    t.same(
      imports.filter((name) => /tailwind|sass|svgr|imagetools|sharp|babel|fontsource|vite/.test(name)),
      []
    )
  })

  t.test('keep the content security policy strict for scripts and style elements', async (t) => {
    const { headers } = await app.inject('/settings')
    const policy = String(headers['content-security-policy'])
    t.match(policy, /style-src-attr [^;]*'unsafe-inline'/)
    t.notMatch(policy.replace(/style-src-attr [^;]*/, ''), 'unsafe')
  })
})

for (const { path, file, selector } of [
  { path: '/harbour', file: /\.webp$/, selector: 'main picture > img' },
  { path: '/fonts', file: /\.woff2$/, selector: 'main h1' }
])
  t.test(`${path} reserves the space of a picture or font that arrives late`, async (t) => {
    const { page, open, requests } = await openTab(t, browser, { origin, viewport: { width: 600, height: 800 } })
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route(file, async (route) => {
      await held
      await route.continue()
    })
    const opened = open(path)
    await until(page, () => performance.getEntriesByType('paint').length > 0)
    const before = await page.locator(selector).boundingBox()
    release()
    await opened
    t.ok(before!.height > 20)
    t.same(await page.locator(selector).boundingBox(), before)
    t.equal(await readLayoutShift(page), 0)
    const sizes = requests.filter((request) => file.test(request.url()))
    t.equal(sizes.length, 1, 'the browser loads one size of the picture, or the font once')
  })

t.test('the markup of an image has its size, its sources and its priority', async (t) => {
  const { body } = await app.inject('/harbour')
  t.match(
    body,
    /<source type="image\/webp" srcSet="\/assets\/\S+\.webp 400w, \/assets\/\S+\.webp 800w" sizes="100vw"\/>/
  )
  t.match(body, /<img [^>]*width="800" height="563"[^>]* fetchPriority="high"/)
})

t.test('the examples have their styles in development, which reports what the policy blocks', async (t) => {
  const { origin } = await startDevServer(t, {
    prepare(root) {
      removePart(root, PARTS.lab)
      removePart(root, PARTS.inbox)
      writeViteConfig(root)
      writeExamples(join(root, 'client'))
    }
  })
  const { page, open, take } = await openTab(t, browser, { origin, refetches: true })
  for (const example of PAGES) {
    await open(example.path)
    await hydrated(page)
    if (example.path === SETTINGS) {
      const problems = (await take()).join('\n')
      t.match(problems, `allow style attributes with the setting CSP="${ALLOWS_STYLE_ATTRIBUTES}"`)
      continue
    }
    t.same(await waitFor(page, example, 'isStyled'), { isShown: true, isStyled: true }, example.path)
    t.same(await take(), [], example.path)
  }
  await page.evaluate(() =>
    document.body.append(Object.assign(document.createElement('style'), { textContent: 'a {}' }))
  )
  t.match(
    (await take()).join('\n'),
    'Hull: the content security policy blocked a style element. Pass the value of useNonce()'
  )
  await page.evaluate(() => fetch('https://api.example/').catch(() => {}))
  t.match(
    (await take()).join('\n'),
    'blocked https://api.example/. If the page needs it, allow it with the setting CSP="connect-src https://api.example"'
  )
})

/** Sum of the page's layout shifts until now (https://web.dev/articles/cls). */
const readLayoutShift = (page: Page) =>
  page.evaluate(() => {
    const observer = new PerformanceObserver(() => {})
    observer.observe({ type: 'layout-shift', buffered: true })
    const shifts = observer.takeRecords() as Array<PerformanceEntry & { value: number }>
    return shifts.reduce((sum, { value }) => sum + value, 0)
  })
