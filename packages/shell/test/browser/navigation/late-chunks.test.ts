import t, { type Test } from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { openMeddlingProxy } from '@hull/test-helpers/meddling-proxy.ts'
import { untilArrived, follow } from '@hull/test-helpers/navigation.ts'
import { buildFixtureSite, buildSite } from '@hull/test-helpers/site.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { answer, hang } from '@hull/test-helpers/unruly-server.ts'

const browser = await launchBrowser(t)
const site = await buildFixtureSite()

t.test('chunk, stylesheet and page data are requested concurrently, each once', async (t) => {
  const { origin } = await createListeningApp(t, { site })
  const proxy = await openMeddlingProxy(t, origin)
  const { page, open, pathsOf, requests } = await openTab(t, browser, { origin: proxy.origin })
  const held: Array<() => void> = []
  proxy.meddle(/styled/, (_response, forward) => held.push(forward))
  await open('/')
  await hydrated(page)
  requests.length = 0
  await follow(page, '/styled')
  while (held.length < 3) await new Promise((resolve) => setTimeout(resolve, 10))
  t.equal(await page.locator('h1').innerText(), 'Home', 'the previous page is still shown')
  for (const go of held) go()
  await untilArrived(page, '/styled', 'Styled')
  t.equal(await page.evaluate(() => getComputedStyle(document.querySelector('h1')!).color), 'rgb(1, 2, 3)')
  t.same(pathsOf('fetch'), ['/-/data/styled'])
  t.equal(pathsOf('script').length, 1)
  t.equal(pathsOf('stylesheet').length, 1)
  t.same(pathsOf('document'), [])
})

t.test('the document is loaded, once, if', async (t) => {
  const { origin } = await createListeningApp(t, { site })
  for (const [name, path, meddling] of [
    ['the chunk is missing', /styled-.*\.js$/, answer(404)],
    ['the chunk is HTML', /styled-.*\.js$/, answer(200, { 'content-type': 'text/html' }, '<p>')],
    ['the stylesheet is missing', /styled-.*\.css$/, answer(404)]
  ] as const) {
    t.test(name, async (t) => {
      const proxy = await openMeddlingProxy(t, origin)
      const { page, open, take, pathsOf } = await openTab(t, browser, { origin: proxy.origin })
      await open('/')
      await hydrated(page)
      // The browser requests a chunk twice: for the preload and for the import.
      proxy.meddle(path, meddling)
      proxy.meddle('/styled', (_response, forward) => {
        proxy.leaveAlone()
        forward()
      })
      await follow(page, '/styled')
      await untilArrived(page, '/styled', 'Styled')
      await hydrated(page)
      t.same(pathsOf('document'), ['/', '/styled'])
      t.equal(await page.evaluate(() => getComputedStyle(document.querySelector('h1')!).color), 'rgb(1, 2, 3)')
      await take()
    })
  }

  for (const [name, path] of [
    ['chunk', /styled-.*\.js$/],
    ['stylesheet', /styled-.*\.css$/]
  ] as const) {
    t.test(`the ${name} is not loaded in time`, async (t) => {
      const proxy = await openMeddlingProxy(t, origin)
      const { page, open, take, pathsOf } = await openTab(t, browser, { origin: proxy.origin })
      await page.clock.install()
      await open('/')
      await hydrated(page)
      proxy.meddle(path, hang, 1)
      await follow(page, '/styled')
      await page.clock.fastForward(2_000)
      t.same(pathsOf('document'), ['/'])
      t.equal(await page.locator('h1').innerText(), 'Home')
      await page.clock.fastForward(2_000)
      await untilArrived(page, '/styled', 'Styled')
      await hydrated(page)
      t.same(pathsOf('document'), ['/', '/styled'])
      await take()
    })
  }
})

t.test('a page has its stylesheet although the prefetch of the stylesheet failed', async (t) => {
  const { origin } = await createListeningApp(t, { site })
  const proxy = await openMeddlingProxy(t, origin)
  const { page, open, seen, takeFirst } = await openTab(t, browser, { origin: proxy.origin })
  await open('/')
  await hydrated(page)
  proxy.meddle(/styled-.*\.css$/, answer(503), 1)
  await page.evaluate(() => {
    const link = document.body.appendChild(document.createElement('a'))
    link.href = '/styled'
    link.focus()
  })
  t.match(await takeFirst(), [/status of 503/])
  await page.evaluate(() => (document.activeElement as HTMLElement).click())
  await untilArrived(page, '/styled', 'Styled')
  // The document can show the heading before its stylesheet is loaded.
  await until(page, () => getComputedStyle(document.querySelector('h1')!).color === 'rgb(1, 2, 3)')
  await takeFirst()
  seen(503)
})

/** Opens a tab with a proxy in front of one of two builds, whose pages have the words `old` and `next`. */
async function openTwoBuilds(t: Test, write: (words: string) => Record<string, string>) {
  const start = async (words: string) =>
    createListeningApp(t, { site: await buildSite(t.testdir({ layouts: {}, pages: write(words) })) })
  const old = await start('old')
  const next = await start('next')
  const proxy = await openMeddlingProxy(t, old.origin)
  return { old, next, proxy, ...(await openTab(t, browser, { origin: proxy.origin })) }
}

t.test('a page whose fetcher gets a response of another build is loaded again, with the new value', async (t) => {
  const { next, proxy, page, open, pathsOf } = await openTwoBuilds(t, (words) => ({
    'index.tsx': `import { useFetcher } from '@hull/shell/client'
      export const layout = null
      export const getData = () => ({ added: globalThis.added ?? 0 })
      export const action = () => void (globalThis.added = (globalThis.added ?? 0) + 1)
      export default function Page({ data }) {
        const { Form } = useFetcher()
        return <><h1>{data.added} ${words}</h1><Form><button>Add</button></Form></>
      }`
  }))
  await open('/')
  await hydrated(page)
  const add = () => page.getByRole('button', { name: 'Add' }).click()
  await add()
  await untilArrived(page, '/', '1 old')
  proxy.forwardTo(next.origin)
  await add()
  await untilArrived(page, '/', '2 next')
  t.same(pathsOf('document'), ['/', '/'])
})

t.test('a page whose refresh gets another build shows that it is out of date, and keeps the input', async (t) => {
  const { next, proxy, page, open, pathsOf } = await openTwoBuilds(t, (words) => ({
    'index.tsx': `import { refresh } from '@hull/shell/client'
      export const layout = null
      export default function Page() {
        return <><h1>Home ${words}</h1><input aria-label="Note" /><button onClick={() => refresh()}>Refresh</button></>
      }`
  }))
  await open('/')
  await hydrated(page)
  await page.getByLabel('Note').fill('a draft')
  proxy.forwardTo(next.origin)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page
    .getByRole('alert')
    .filter({ hasText: /out of date/ })
    .waitFor()
  t.equal(await page.getByLabel('Note').inputValue(), 'a draft')
  t.same(pathsOf('document'), ['/'])
})

/** Two pages, of which the first shows the second one as a lazy component after a click. */
const withLazyPart = (words: string) => ({
  'part.tsx': `export const layout = null\nexport default () => <p id="part">Part ${words}</p>`,
  'index.tsx': `import { lazy, Suspense, useState } from 'react'
    export const layout = null
    const Part = lazy(() => import('./part.tsx'))
    export default function Page() {
      const [isOpen, setOpen] = useState(false)
      return <><h1>Home ${words}</h1><button onClick={() => setOpen(true)}>Show</button>
        <Suspense fallback="…">{isOpen && <Part />}</Suspense></>
    }`
})

t.test('a page whose lazy component a deploy has removed is loaded again, and shows no error', async (t) => {
  const { next, proxy, page, open, pathsOf, take } = await openTwoBuilds(t, withLazyPart)
  await open('/')
  await hydrated(page)
  proxy.forwardTo(next.origin)
  await page.evaluate(() => {
    new MutationObserver(() => {
      if (document.querySelector('h1')?.textContent.includes('failed')) sessionStorage.setItem('failed', '1')
    }).observe(document.body, { childList: true, subtree: true })
  })
  const show = () => page.getByRole('button', { name: 'Show' }).click()
  await show()
  await untilArrived(page, '/', 'Home next')
  await hydrated(page)
  await show()
  t.equal(await page.locator('#part').innerText(), 'Part next')
  t.same(pathsOf('document'), ['/', '/'])
  t.equal(await page.evaluate(() => sessionStorage.getItem('failed')), null)
  await take()
})

t.test('a lazy component that stays missing shows the error view, which loads the document again', async (t) => {
  const { proxy, page, open, pathsOf, take, requests } = await openTwoBuilds(t, withLazyPart)
  await open('/')
  await hydrated(page)
  requests.length = 0
  proxy.meddle(/part-.*\.js$/, answer(404))
  const show = () => page.getByRole('button', { name: 'Show' }).click()
  await show()
  await eventually(() => pathsOf('fetch').length === 1)
  await show()
  const again = page.getByRole('button', { name: 'Try again' })
  await again.waitFor()
  t.same(pathsOf('document'), [])
  t.equal(pathsOf('fetch').filter((path) => path.startsWith('/-/data')).length, 1, 'not again and again')
  proxy.leaveAlone()
  await again.click()
  await eventually(() => pathsOf('document').length === 1)
  await hydrated(page)
  await show()
  t.equal(await page.locator('#part').innerText(), 'Part old')
  await take()
})

t.test('after the server has another build, a navigation loads a document, once', async (t) => {
  const { old, next, proxy, page, open, take, pathsOf } = await openTwoBuilds(t, (words) => ({
    'index.tsx': `export const layout = null\nexport default () => <h1>Home ${words}</h1>`,
    'about.tsx': `export const layout = null\nexport default () => <h1>About ${words}</h1>`,
    'new.tsx': `export const layout = null\nexport default () => <h1>New ${words}</h1>`
  }))
  await open('/')
  await hydrated(page)
  await follow(page, '/about')
  await untilArrived(page, '/about', 'About old')
  await follow(page, '/')
  await untilArrived(page, '/', 'Home old')

  proxy.forwardTo(next.origin)
  await follow(page, '/about')
  await untilArrived(page, '/about', 'About next')
  await hydrated(page)
  t.same(pathsOf('document'), ['/', '/about'], 'a document, although the chunk of the old build is loaded')
  await follow(page, '/')
  await untilArrived(page, '/', 'Home next')
  t.same(pathsOf('document'), ['/', '/about'], 'the next page is shown without a document again')

  proxy.forwardTo(old.origin)
  await follow(page, '/new')
  await untilArrived(page, '/new', 'New old')
  await hydrated(page)
  t.same(pathsOf('document'), ['/', '/about', '/new'], 'a document, because the chunk of that build is missing')

  proxy.forwardTo(next.origin)
  await follow(page, '/nobody-knows-it')
  await untilArrived(page, '/nobody-knows-it', 'Not found')
  t.same(
    pathsOf('document'),
    ['/', '/about', '/new', '/nobody-knows-it'],
    'a document, because the HTML is of another build'
  )
  await take()
})
