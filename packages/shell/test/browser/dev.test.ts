import t from 'tap'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { startDevServer } from '@hull/test-helpers/dev-server.ts'
import { LAB_PAGES } from '@hull/test-helpers/lab-pages.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { exchange, request } from '@hull/test-helpers/raw-client.ts'
import { openUnrulyServer } from '@hull/test-helpers/unruly-server.ts'
import { PARTS, removePart } from '../../../create-hull/src/remove.ts'

const browser = await launchBrowser(t)
const dev = await startDevServer(t)
const { origin } = dev

t.test('in development', async (t) => {
  t.test('every page hydrates without a warning of React', async (t) => {
    const { page, open, take } = await openTab(t, browser, { origin, refetches: true })
    for (const { path, status = 200, title, plain } of LAB_PAGES) {
      if (status === 500) continue
      await open(path, status)
      if (!plain) await hydrated(page)
      t.equal(await page.title(), title, path)
      t.same(await take(), [], path)
    }
  })

  t.test('files that Vite serves are not logged', async (t) => {
    const requested = () => dev.output.filter((line) => line.includes('"msg":"request"'))
    const { page, open, requests } = await openTab(t, browser, { origin, refetches: true })
    const before = requested().length
    await open('/lab/form')
    await hydrated(page)
    t.ok(requests.length > 20, 'scripts and styles were loaded')
    t.equal((await fetch(`${origin}/no-page.tsx`)).status, 404)
    await eventually(() => requested().some((line) => line.includes('"path":"/no-page.tsx"')))
    t.same(
      requested()
        .slice(before)
        .map((line) => JSON.parse(line).path),
      ['/lab/form', '/no-page.tsx']
    )
  })

  t.test('a WebSocket that nothing accepts is refused', async (t) => {
    const handshake = ['Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket']
    const { status } = await exchange(
      Number(new URL(origin).port),
      request('GET /_next/webpack-hmr HTTP/1.1', handshake)
    )
    t.equal(status, 404)
  })

  t.test('an edited component is replaced without losing input elsewhere on the page', async (t) => {
    const { page, open, pathsOf } = await openTab(t, browser, { origin, refetches: true })
    await open('/lab/layout/a')
    await hydrated(page)
    await page.getByLabel('Note').fill('kept')
    await page.getByRole('button', { name: 'Count' }).click()
    const refetched = page.waitForResponse((response) => response.url().includes('/-/data/lab/layout/a'))
    dev.edit('client/pages/lab/layout/a.tsx', 'title="Page A"', 'title="Page Alpha"')
    await page.getByRole('heading', { name: 'Page Alpha' }).waitFor()
    await (await refetched).finished()
    t.equal(await page.getByLabel('Note').inputValue(), 'kept')
    t.equal(await page.locator('output').innerText(), '1')
    t.same(pathsOf('document'), ['/lab/layout/a'], 'no other document is loaded')
  })

  t.test('an edited getData is used from the next request on', async (t) => {
    await dev.says('/lab/layout/a', 'Page Alpha')
    dev.write('client/pages/fresh.tsx', pageThatSays('one'))
    t.ok(await dev.says('/fresh', 'says one'), 'a new page is found without a restart')
    dev.edit('client/pages/fresh.tsx', 'says one', 'says two')
    t.ok(await dev.says('/fresh', 'says two'))
  })

  t.test('a new page that is empty at first is found when it has content', async (t) => {
    dev.write('client/pages/later.tsx', '')
    await new Promise((resolve) => setTimeout(resolve, 1))
    dev.write('client/pages/later.tsx', pageThatSays('later'))
    t.ok(await dev.says('/later', 'says later'))
  })

  t.test('a page that cannot be parsed is an error with its source, until it is corrected', async (t) => {
    dev.write('client/pages/fresh.tsx', pageThatSays('three').replace("' })", "'"))
    await dev.says('/fresh', 'Expected `,`')
    const { page, open, take } = await openTab(t, browser, { origin, refetches: true })
    await open('/fresh', 500)
    const shown = await page.locator('vite-error-overlay .window').innerText()
    t.match(shown, 'client/pages/fresh.tsx')
    t.match(shown, "getData = () => ({ words: 'says three'")
    t.notMatch((await take()).join('\n'), 'policy', 'the error page complies with the content security policy')

    dev.write('client/pages/fresh.tsx', pageThatSays('four'))
    t.ok(await dev.says('/fresh', 'says four'))
    // The tab reloads by itself until the page is shown.
    await page.getByText('says four').waitFor()
    await take()
  })

  t.test('only the page with an unresolved import fails', async (t) => {
    dev.write('client/pages/alone.tsx', pageThatSays('alone'))
    t.ok(await dev.says('/alone', 'says alone'))
    dev.write('client/pages/alone.tsx', `import './missing.ts'\n${pageThatSays('nothing')}`)
    t.ok(await dev.says('/alone', 'missing.ts'))
    const { page, open, take } = await openTab(t, browser, { origin, refetches: true })
    await open('/alone', 500)
    t.match(await page.locator('vite-error-overlay .window').innerText(), /missing\.ts.*client\/pages\/alone\.tsx/s)
    await take()
    t.ok(await dev.says('/fresh', 'says four'))
    dev.write('client/pages/missing.ts', 'export {}')
    t.ok(await dev.says('/alone', 'says nothing'), 'the page works when the file exists')
    await page.getByText('says nothing').waitFor()
    await take()
  })

  t.test('routes that are not pages answer while no page can be loaded', async (t) => {
    dev.edit('client/layouts/default.tsx', 'import type', `import './missing.ts'\nimport type`)
    t.ok(await dev.says('/fresh', 'missing.ts'))
    for (const path of ['/healthz', '/metrics']) t.equal((await fetch(origin + path)).status, 200, path)
    dev.edit('client/layouts/default.tsx', `import './missing.ts'\n`, '')
    t.ok(await dev.says('/fresh', 'says four'))
  })

  t.test('warns once about each page or layout that sends a request by fetch, with the file to change', async (t) => {
    const upstream = await openUnrulyServer(t)
    const show = async (path: string, file: string, code: string, fn = 'getData') => {
      dev.write(`client/pages/${file}`, pageThatFetches(fn, code.replace('URL', `'${upstream.origin}/?token=1'`)))
      t.ok(await dev.says(path, 'says done'), file)
    }
    await show('/by-ctx', 'by-ctx.tsx', 'fetch(URL)')
    await show('/by-retry', 'by-retry.tsx', 'retry(({ signal }) => globalThis.fetch(URL, { signal }))')
    await show('/by-post', 'by-post.tsx', "globalThis.fetch(URL, { method: 'POST' })")
    await show('/by-fetch/1', 'by-fetch/[id].tsx', 'globalThis.fetch(URL)')
    t.ok(await dev.says('/by-fetch/2', 'says done'))
    await show('/in-guard', 'in-guard.tsx', 'globalThis.fetch(URL)', 'guard')
    dev.write('client/layouts/fetching.tsx', layoutThatFetches(upstream.origin))
    dev.edit('client/pages/by-ctx.tsx', '// layout', `export const layout = 'fetching'`)
    t.ok(await dev.says('/by-ctx', 'around it'))
    dev.write('client/layouts/team.tsx', `export const fallbackFor = '/team'\n${layoutThatFetches(upstream.origin)}`)
    t.ok(await dev.says('/team/nowhere', 'around it'), 'a layout used only by fallbacks')

    const files = ['pages/by-fetch/[id].tsx', 'pages/in-guard.tsx', 'layouts/fetching.tsx', 'layouts/team.tsx']
    const warnings = () => dev.output.filter((line) => line.includes('sends a request by fetch'))
    await eventually(() => warnings().length >= files.length)
    const found = warnings().map((line) => JSON.parse(line))
    t.same(
      found.map(({ level, msg, method, origin }) => ({ level, msg, method, origin })),
      files.map((file) => ({
        level: 40,
        msg: `client/${file} sends a request by fetch: use ctx.fetch, which retries it`,
        method: 'GET',
        origin: upstream.origin
      }))
    )
    t.notMatch(warnings().join('\n'), 'token')
  })
})

t.test('with the inbox on, modules that load after the page do not reload it', async (t) => {
  const { origin } = await startDevServer(t, {
    env: { INBOX: 'on' },
    prepare: (root) => removePart(root, PARTS.lab)
  })
  const { open, page, requests } = await openTab(t, browser, { origin, refetches: true })
  await open('/')
  await hydrated(page)
  const sdk = () => requests.filter((request) => /@sentry/.test(request.url()))
  while (sdk().length < 2) await page.waitForTimeout(100)
  await page.waitForTimeout(1_500)
  for (const request of sdk()) t.equal((await request.response())?.status(), 200, request.url())
  t.equal(requests.filter((request) => request.resourceType() === 'document').length, 1)
})

const pageThatSays = (word: string) => `import type { PageProps } from '@hull/shell/client'

export const getData = () => ({ words: 'says ${word}' })

export default function Fresh({ data }: PageProps<typeof getData>) {
  return <p>{data.words}</p>
}
`

const pageThatFetches = (fn: string, code: string) => `import type { Ctx } from '@hull/shell/client'

// layout
export async function ${fn}({ fetch, retry }: Ctx) {
  await ${code}
}

export default function Fetching() {
  return <p>says done</p>
}
`

const layoutThatFetches = (origin: string) => `import type { LayoutProps } from '@hull/shell/client'

export const getData = async () => ({ status: (await fetch('${origin}')).status })

export default function Around({ children }: LayoutProps<typeof getData>) {
  return <main>around it {children}</main>
}
`
