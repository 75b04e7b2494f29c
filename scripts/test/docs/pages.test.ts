import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { checkContract } from '../../../packages/shell/src/build/pages/contract.ts'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { BASE_PATH_SITE } from '@hull/test-helpers/base-path.ts'
import { postForm } from '@hull/test-helpers/post-form.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { buildSite } from '@hull/test-helpers/site.ts'
import { typeCheck } from '@hull/test-helpers/type-check.ts'
import { createVisitor } from '@hull/test-helpers/visitor.ts'

const ROOT = join(import.meta.dirname, '../../..')
const read = (name: string) => readFileSync(join(ROOT, `docs/${name}.md`), 'utf8')
const text = read('pages')
/** Documents whose examples are pages. */
const DOCUMENTS = [
  '../README',
  'pages',
  'forms',
  'data',
  'navigation',
  'coming-from-fastify-react',
  'coming-from-next-app-router',
  'coming-from-next-pages-router',
  'coming-from-react-router'
]

t.test('docs/pages.md lists exactly the exports that a page may have', async (t) => {
  const nothing = { literal: undefined }
  const [problem] = checkContract('page', 'page', [
    { name: 'default', ...nothing },
    { name: 'notInTheContract', ...nothing }
  ])
  const [, allowed = ''] = /it may export (.*), and types/.exec(problem ?? '') ?? []
  const contract = text.slice(text.indexOf('## Exports'), text.indexOf('These exports exclude each other'))
  const rows = contract.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)
  const names = [...rows].flatMap(([, cell]) => [...cell!.matchAll(/\w+/g)].map(([name]) => name))
  t.strictSame(names.sort(), allowed.split(', ').sort())
})

t.test(`the pages in the examples of ${DOCUMENTS.join(', ')} are built, type-checked and served`, async (t) => {
  const folder = createFolder(t)
  mkdirSync(join(folder, 'layouts'))
  writeFileSync(
    join(folder, 'layouts/default.tsx'),
    "import type { LayoutProps } from '@hull/shell/client'\nexport default ({ children }: LayoutProps) => children"
  )
  for (const [, path, code] of DOCUMENTS.map(read)
    .join('\n')
    .matchAll(/```tsx\n\/\/ client\/(\S+)\n([\s\S]*?)```/g)) {
    const file = join(folder, path!)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, code!)
  }
  const site = await buildSite(folder)

  const { code, output } = await typeCheck(site, ['client/pages', 'client/layouts', 'plugins', '.hull/types/*.ts'])
  t.equal(code, 0, output)

  const { app } = await createTestApp(t, { site })
  const [, route] = /```ts\n\/\/ routes\/sitemap\.ts\n([\s\S]*?)```/.exec(text)!
  writeFileSync(join(folder, 'sitemap.ts'), route!)
  await app.register(import(join(folder, 'sitemap.ts')))
  app.get('/enter', async ({ session }) => session.set('user', 'Ada'))
  const get = async (url: string) => {
    const { statusCode, body } = await app.inject({ url })
    return [statusCode, body.replace(/<!-- -->/g, '')] as const
  }
  t.match(await get('/hello/Ada'), [200, /Hello Ada, it is 2/])
  t.match(await get('/items/7'), [200, /<h1>Bow shackle, 12.5<\/h1>/])
  t.match(await get('/items/8'), [404, /There is no item 8\./])
  t.match(await get('/members'), [401, /Members only\./])
  t.match(await get('/members/plans'), [401])
  t.match(await get('/feedback?sent'), [200, /Thank you\./])
  t.match(await get('/weather/oslo'), [404, /No weather for oslo\./])
  t.match(await get('/lots/7?page=0'), [200, /Lot 7, page 1 Pages begin at 1\./])
  t.match(await get('/lots/x'), [404])
  t.match(await get('/offer'), [200, /12 in stock/])
  t.match(await get('/essays/bends'), [200, /Two ropes become one\./])
  t.match(await get('/essays/splices'), [404])
  t.match(await get('/drafts/splices'), [401, /Sign in to read drafts\./])
  const editor = createVisitor(app)
  await editor.get('/enter')
  t.match((await editor.get('/drafts/splices')).body, /noindex.*Not finished yet\./s)
  t.match(await get('/prices'), [200, /<p lang="en">2/])
  t.match(await get('/de/ropes'), [200, /lang="de".*<title>Seile · Chandlery<\/title>.*"CollectionPage"/s])
  t.match(await get('/ropes/7'), [200, /Braided rope/])
  t.match(await get('/sitemap.xml'), [
    200,
    /<loc>http:\/\/localhost(?::80)?\/ropes\/7<\/loc><lastmod>2026-03-01T00:00:00\.000Z<\/lastmod>/
  ])
  const env = { BASE_URL: 'https://app.example' }
  const { app: below } = await createTestApp(t, { site: await buildSite(...BASE_PATH_SITE), env })
  await below.register(import(join(folder, 'sitemap.ts')))
  const sitemap = await below.inject({ url: '/shop/sitemap.xml', headers: { host: 'other.example' } })
  t.match(sitemap.body, '<loc>https://app.example/shop/cart</loc>', 'the URL has the prefix and BASE_URL')
  t.match(await get('/tickets/7'), [200, /40 seats/])
  await postForm(app, '/tickets/7', {})
  t.equal((await postForm(app, '/tickets/8', {})).statusCode, 404)
  t.match(await get('/tickets/7'), [200, /39 seats/])
  t.match(await get('/shelf'), [200, /data-keep-scroll="true"/])
  t.match(await get('/loans/7'), [200, /Loan 7, entered on the server\./])
  t.match(await get('/products/7'), [200, /2 in stock/])
  t.match((await postForm(app, '/products/7', { pieces: '3' })).body, /Order 1 to 2\./)
  t.match(await get('/posts/bends'), [308])
  t.match(await get('/-/data/posts/bends'), [200, /"redirect":"\/posts\/knots"/])
  t.match(await get('/posts/knots'), [200, /2026-05-01/])
  await postForm(app, '/projects/7', { star: 'on' })
  t.match(await get('/projects/7'), [200, /Remove the star/])
  t.match(await get('/harbour/berths'), [200, /aria-current="page"[^>]*>Berths/])
  t.match(await get('/log-entry/new'), [200, /<dialog/])
  t.match(await get('/find?q=rope'), [200, /Nothing is called rope\./])

  const post = (text: string) => postForm(app, '/feedback', { text })
  const refused = await post('')
  t.match([refused.statusCode, refused.body], [422, /Write something\./])
  const taken = await post('More')
  t.match([taken.statusCode, taken.headers.location], [303, '/feedback?sent'])
})
