import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Fastify from 'fastify'
import t from 'tap'
import { urlGuard } from '@hull/shell'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { writeExamples } from '@hull/test-helpers/doc-examples.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { buildSite } from '@hull/test-helpers/site.ts'
import { typeCheck } from '@hull/test-helpers/type-check.ts'

const DOCUMENT = 'docs/content.md'
const text = readFileSync(join(import.meta.dirname, '../../..', DOCUMENT), 'utf8')

const examples = createFolder(t)
writeExamples(DOCUMENT, examples)
const folder = join(examples, 'client')
for (const name of ['plugins', 'routes']) renameSync(join(examples, name), join(folder, name))
mkdirSync(join(folder, 'layouts'))
const layout =
  "import type { LayoutProps } from '@hull/shell/client'\nexport default ({ children }: LayoutProps) => children"
writeFileSync(join(folder, 'layouts/default.tsx'), layout)
const site = await buildSite(folder)

mkdirSync(join(site.root, 'content'), { recursive: true })
const writeText = (name: string, content: string) => writeFileSync(join(site.root, 'content', name), content)
writeText('knots.md', /^```md\n([^]*?)^```$/m.exec(text)![1]!)
writeText('bends.md', '---\r\ntitle: Bends: a & b\r\ndate: 2026-04-01\r\n---\r\nTwo ropes. <script>x</script>\r\n')
writeText('splices.md', '---\ntitle: Splices\n---\nNot finished.\n')
writeText('later.md', '---\ntitle: Later\ndate: 2999-01-01\n---\nNot yet.\n')

t.test('the examples of docs/content.md are type-checked with typed addresses', async (t) => {
  const { code, output } = await typeCheck(site, [
    'config.ts',
    'client/pages',
    'plugins/posts.ts',
    'plugins/moved.ts',
    'routes/feed.ts',
    '.hull/types/*.ts'
  ])
  t.equal(code, 0, output)
})

t.test('the site of docs/content.md', async (t) => {
  const { app } = await createTestApp(t, { site, env: { BASE_URL: 'https://knots.example' } })
  for (const name of ['posts', 'moved']) await app.register(import(join(site.root, `plugins/${name}.ts`)))
  const get = (url: string) => app.inject({ url, headers: { accept: 'text/html', host: 'knots.example' } })

  t.test('shows published texts as HTML, and lists them, newest first', async (t) => {
    const { body } = await get('/posts/knots')
    t.match(body, /<em>bowline<\/em> holds\. See <a href="\/posts\/bends">/)
    t.match(body, '<time dateTime="2026-03-01T00:00:00.000Z">3/1/2026</time>')
    t.match((await get('/posts/bends')).body, /Bends: a &amp; b<\/h1>.*&lt;script&gt;x&lt;\/script&gt;/s)
    const list = (await get('/posts')).body
    t.match(list, /href="\/posts\/bends".*href="\/posts\/knots"/s)
    t.match(list, '<link rel="alternate" type="application/rss+xml" title="Posts" href="/feed.xml"')
    t.notMatch(list, /Splices|Later/)
  })

  t.test('adds BASE_PATH to links of a text', async (t) => {
    const below = Fastify()
    t.teardown(() => below.close())
    await below.register(urlGuard, { basePath: '/shop' })
    await below.register(import(join(site.root, 'plugins/posts.ts')))
    const posts = below.getDecorator<{ slug: string; html: string }[]>('posts')
    const { html } = posts.find(({ slug }) => slug === 'knots')!
    t.match(html, 'href="/shop/posts/bends"')
    t.match(html, 'src="/shop/pictures/bowline.svg"')
  })

  t.test('hides drafts, and texts whose time has not come', async (t) => {
    for (const slug of ['splices', 'later', 'nothing']) t.equal((await get(`/posts/${slug}`)).statusCode, 404, slug)
  })

  t.test('has a feed and a sitemap with the published texts', async (t) => {
    const { body, headers } = await get('/feed.xml')
    t.equal(headers['content-type'], 'application/rss+xml; charset=utf-8')
    t.match(body, '<link>https://knots.example/posts/knots</link>')
    t.match(body, '<title>Bends: a &#38; b</title>')
    t.match(body, '<pubDate>Sun, 01 Mar 2026 00:00:00 GMT</pubDate>')
    t.equal(body.match(/<item>/g)?.length, 2)
    const paths = (await Array.fromAsync(app.pages.sitemap(), ({ path }) => path)).map(
      (path) => new URL(path, 'https://x.example').pathname
    )
    t.same(paths.sort(), ['/posts', '/posts/bends', '/posts/knots'])
  })

  t.test('redirects old addresses permanently, with any query', async (t) => {
    t.match(await get('/2019/03/knots.html?from=mail'), { statusCode: 308, headers: { location: '/posts/knots' } })
  })
})
