import t from 'tap'
import { buildSite } from '@hull/test-helpers/site.ts'
import { typeCheck } from '@hull/test-helpers/type-check.ts'

const PAGE = 'export default () => <p>x</p>'

const RIGHT = [
  '/',
  '/about',
  '/about?a=1',
  '/about#team',
  '/about?a=1#team',
  '/items/7',
  '/items/7?page=2',
  '/items/7/edit',
  '/docs/a/b',
  '/shop',
  '/shop/a/b#c',
  '/jobs',
  '/files/7.csv',
  "/what's-new",
  '?page=2',
  '#top',
  'https://other.example/x',
  'mailto:ada@example.org'
]
const WRONG = [
  '/abuot',
  '/item/7',
  '/about/team',
  'about',
  '/jobs/7',
  '/(team)/jobs',
  '//other.example',
  'javascript:x'
]

/** Returns a page whose lines 3 to 7 use the href. */
const toPage = (href: string) => `import { Link, NavLink, navigate, prefetch, redirect } from '@hull/shell/client'
  const uses = () => [
    <Link href="${href}">x</Link>,
    <NavLink href="${href}">x</NavLink>,
    navigate("${href}", { replace: true }),
    prefetch("${href}"),
    redirect("${href}")
  ]
  export default () => <p>{uses.length}</p>`

t.test('the type checker knows the paths of the pages', async (t) => {
  const site = await buildSite(
    t.testdir({
      layouts: {},
      pages: {
        'index.tsx': PAGE,
        'about.tsx': PAGE,
        items: { '[id].tsx': PAGE, '[id]': { 'edit.tsx': PAGE } },
        docs: { '[...path].tsx': PAGE },
        shop: { '[[...path]].tsx': PAGE },
        '(team)': { 'jobs.tsx': PAGE },
        "what's-new.tsx": PAGE,
        'computed.tsx': `import { Link, type Href } from '@hull/shell/client'
          declare module '@hull/shell/client' { interface PagePaths { '/files/[id].csv': true } }
          const list = (id: number, from: string): Href => \`/items/\${id}?from=\${encodeURIComponent(from)}\`
          export default ({ data }: { data: undefined }) => <Link href={list(7, String(data))}>x</Link>`,
        'unknown.tsx': `import { Link } from '@hull/shell/client'
          const hrefs: string[] = ['/about']
          export default () => <Link href={hrefs.join('')}>x</Link>`,
        ...Object.fromEntries(RIGHT.map((href, at) => [`right-${at}.tsx`, toPage(href)])),
        ...Object.fromEntries(WRONG.map((href, at) => [`wrong-${at}.tsx`, toPage(href)]))
      }
    })
  )
  const { output } = await typeCheck(site, ['client/pages', '.hull/types/*.ts'])
  const linesWithErrors = (page: string) =>
    [...output.matchAll(new RegExp(`pages/${page}\\.tsx\\((\\d+),\\d+\\): error TS2(?:322|345|820)`, 'g'))].map(
      ([, line]) => Number(line)
    )

  for (const [at, href] of WRONG.entries())
    t.test(`${href} is a type error in links, functions and redirects`, async (t) => {
      t.same(linesWithErrors(`wrong-${at}`), [3, 4, 5, 6, 7])
    })

  t.test('a string that can be any path is a type error', async (t) => {
    t.same(linesWithErrors('unknown'), [3])
  })

  t.test('paths of pages, other origins and computed paths are valid', async (t) => {
    t.notMatch(output, /pages\/(right-|computed)/)
    t.notMatch(output, /packages\/|node_modules/, 'the shell itself accepts any path')
  })
})
