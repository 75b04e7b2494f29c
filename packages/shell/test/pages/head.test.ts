import { join } from 'node:path'
import t from 'tap'
import { createListeningApp, createTestApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { buildSite } from '@hull/test-helpers/site.ts'
import { withAttributes } from '../../src/render/head.ts'
import { createSite } from '../../src/render/site.ts'
import { listSitemap } from '../../src/plugins/pages/sitemap.ts'

const site = await buildSite(join(import.meta.dirname, '../fixtures/head'))

/** Returns the tags of a head, without the attribute `data-head`. */
const readTags = (html: string) =>
  [...html.matchAll(/<title>.*?<\/title>|<(?:meta|link|script)[^>]* data-head>(?:[^<]*<\/script>)?/g)].map(([tag]) =>
    tag.replace(' data-head', '')
  )

t.test('the head has the values of page and layouts, escaped, with absolute URLs', async (t) => {
  const { app } = await createTestApp(t, { site, env: { BASE_URL: 'https://shop.example' } })
  const { body } = await app.inject({ url: '/items/7' })
  t.same(readTags(body), [
    '<title>&lt;/script&gt;&lt;b&gt;7&lt;/b&gt; &quot;&amp;&quot; $&amp; $$5 · Chandlery</title>',
    '<meta name="description" content="Ropes and shackles">',
    '<link rel="canonical" href="https://shop.example/items/7">',
    '<meta property="og:site_name" content="Chandlery">',
    '<meta property="og:url" content="https://shop.example/items/7">',
    '<meta property="og:type" content="product">',
    '<meta property="og:image" content="https://shop.example/one.png">',
    '<meta property="og:image" content="https://images.example/two.png">',
    '<meta property="og:image" content="//images.example/three.png">',
    '<meta name="twitter:card" content="summary_large_image">',
    '<meta name="twitter:image" content="https://shop.example/one.png">',
    '<meta name="twitter:url" content="https://shop.example/items/7">',
    '<script type="application/ld+json">{"@type":"Organization","name":"Chandlery"}</script>',
    '<script type="application/ld+json">{"@type":"Product","name":"\\u003c/script>\\u003cb>7\\u003c/b> \\"&\\" $& $$5"}</script>',
    '<script type="application/ld+json">{"@type":"Offer"}</script>',
    '<meta name="author" content="Ada">'
  ])
})

t.test('a page can ignore the title template of its layout, and has its own language', async (t) => {
  const { app } = await createTestApp(t, { site, env: { BASE_URL: 'https://shop.example' } })
  const { body } = await app.inject({ url: '/de' })
  t.match(body, /<html[^>]* lang="de"/)
  t.match(readTags(body), [
    '<title>Anfang</title>',
    /description/,
    /og:site_name/,
    /og:url/,
    '<link rel="alternate" hreflang="en" href="https://shop.example/">',
    '<link rel="alternate" hreflang="de" href="https://shop.example/de">'
  ])
  const plain = await app.inject({ url: '/plain' })
  t.notMatch(plain.body, /<title>[^<]*Chandlery/, 'a template without a title gives no title')
  t.match(plain.body, 'Ropes and shackles')
})

t.test('structured data that cannot be JSON is an error that names the file', async (t) => {
  const { app, logs } = await createTestApp(t, { site })
  t.equal((await app.inject({ url: '/cycle' })).statusCode, 500)
  t.match(logs.takeErrors(), [
    { err: { code: 'APP_PAGE_INVALID', message: /pages\/cycle\.tsx: getMeta returned .* circular/ } }
  ])
})

t.test('after a navigation, the head is that of the document', async (t) => {
  const { origin } = await createListeningApp(t, { site })
  const browser = await launchBrowser(t)
  const { page, open, take } = await openTab(t, browser, { origin })
  const readHead = () =>
    page.evaluate(() => ({
      title: document.title,
      lang: document.documentElement.lang,
      dir: document.documentElement.dir,
      classes: document.body.className,
      tags: [...document.head.querySelectorAll('[data-head]')].map((element) => element.outerHTML)
    }))
  const paths = ['/items/7', '/de', '/server-only', '/plain', '/']
  const documents = []
  for (const path of paths) {
    await open(path)
    documents.push(await readHead())
  }
  await hydrated(page)
  for (const [index, path] of paths.entries()) {
    await page.locator('nav').getByText(path, { exact: true }).click()
    await page.waitForFunction((title) => document.title === title, documents[index]!.title)
    const { tags, ...rest } = await readHead()
    t.same({ ...rest, tags: tags.toSorted() }, { ...documents[index], tags: documents[index]!.tags.toSorted() }, path)
  }
  t.same(await take(), [], 'the content security policy allows it')

  await page.context().setOffline(true)
  await page.locator('nav').getByText('/items/7', { exact: true }).click()
  await page.waitForFunction(() => document.title.startsWith('Application error'))
  t.match(await readHead(), { dir: 'rtl', classes: 'dark' }, 'an error page keeps the attributes of its layouts')
  await take()
})

t.test('a navigation does not change tags that both pages have', async (t) => {
  const { origin } = await createListeningApp(t, { site })
  const { page, open } = await openTab(t, await launchBrowser(t), { origin })
  await open('/items/7')
  await hydrated(page)
  const readState = () =>
    page.evaluate(() => ({
      classes: document.body.className,
      isSame: (globalThis as { first?: Element }).first === document.querySelector('[property="og:site_name"]')
    }))
  // As a script that lets the visitor choose a text size.
  await page.evaluate(() => {
    document.body.classList.add('large')
    Object.assign(globalThis, { first: document.querySelector('[property="og:site_name"]') })
  })
  await page.locator('nav').getByText('/', { exact: true }).click()
  await page.waitForFunction(() => location.pathname === '/')
  t.same(await readState(), { classes: 'dark large', isSame: true })
  await page.locator('nav').getByText('/de', { exact: true }).click()
  await page.waitForFunction(() => location.pathname === '/de')
  t.equal(
    (await readState()).classes,
    'large german wide',
    'a class of another script is kept while the classes of the pages change'
  )
  await page.locator('nav').getByText('/', { exact: true }).click()
  await page.waitForFunction(() => location.pathname === '/')
  t.equal((await readState()).classes, 'large dark')
})

t.test('classes of a page are added to those of the document', async (t) => {
  const markup = '<html lang="en" class="no-js"><body>'
  t.equal(
    withAttributes(markup, 'html', { class: 'wide "b"', lang: 'de' }),
    '<html class="no-js wide &quot;b&quot;" data-was-class="no-js" lang="de" data-was-lang="en"><body>'
  )
  t.equal(withAttributes(markup, 'body', { class: 'wide' }), `${markup.slice(0, -1)} class="wide" data-was-class="">`)
})

t.test('the sitemap has the pages with `sitemap`', async (t) => {
  const { app } = await createTestApp(t, { site })
  const entries = []
  for await (const { path, lastModified } of app.pages.sitemap()) entries.push([path, lastModified?.toISOString()])
  t.same(entries.toSorted(), [
    ['/', undefined],
    ['/de', undefined],
    ['/items/7', '2026-01-07T00:00:00.000Z'],
    ['/items/8', '2026-01-08T00:00:00.000Z']
  ])
})

t.test('an invalid sitemap is an error that names the file', async (t) => {
  const { app } = await createTestApp(t, { site })
  const list = async (file: string, sitemap: unknown) => {
    const entry = { pages: { [`/pages/${file}.tsx`]: { default: () => null, sitemap } }, layouts: {} }
    for await (const { path } of listSitemap(app, createSite(entry as never))) t.fail(path)
  }
  await t.rejects(list('items/[id]', true), { message: /items\/\[id\]\.tsx: "sitemap" is true, or a function/ })
  await t.rejects(list('a', 'yes'), { message: /"sitemap" is true, or a function/ })
  await t.rejects(
    list('a', () => [{ path: 'https://other.example/' }]),
    { message: /has a path such as/ }
  )
  await t.rejects(
    list('a', () => [{ path: '//other.example/' }]),
    { message: /has a path such as/ }
  )
  await t.rejects(
    list('a', () => [{ path: '/a', lastModified: 'yesterday' }]),
    { message: /"lastModified" of \/a/ }
  )
})
