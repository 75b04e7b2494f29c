import t from 'tap'
import { hull } from '../../../src/build/hull.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const PAGE = 'export default function Page () { return <p>page</p> }\n'
const LAYOUT = 'export default function Frame ({ children }) { return <div>{children}</div> }\n'
type Tree = Record<string, string | Record<string, string>>
const ROOT = { folder: 'handbook', prefix: '/handbook' }

t.test('hull() refuses', async (t) => {
  const root = t.testdir({ client: {}, handbook: {}, manual: {} })
  const refuses = (code: string, message: RegExp, ...roots: Array<{ folder: string; prefix: string }>) => {
    t.throws(() => hull({ root, roots }), { code, message })
  }
  refuses('APP_PAGE_ROOT_MISSING', /page root nowhere does not exist.*vite\.config\.ts/, {
    folder: 'nowhere',
    prefix: '/a'
  })
  refuses('APP_PAGE_ROOT_TWICE', /"\/handbook": handbook and manual\./, ROOT, { ...ROOT, folder: 'manual' })
  for (const prefix of ['', '/', 'handbook', '/handbook/', '/[id]', '/:id'])
    refuses('APP_PAGE_ROOT_INVALID', /page root handbook is "/, { ...ROOT, prefix })
})

t.test('the build refuses files of two roots for one address, and names both', async (t) => {
  const build = (pages: Tree, own: Tree) =>
    buildSite(t.testdir({ pages, handbook: { pages: own, layouts: {} } }), { roots: [ROOT] })
  await t.rejects(build({ handbook: { 'index.tsx': PAGE } }, { 'index.tsx': PAGE }), {
    message:
      /APP_PAGE_ROUTE_TWICE: Two files for one address: client\/pages\/handbook\/index\.tsx and handbook\/pages\/index\.tsx/
  })
  await t.rejects(build({ handbook: { '[name].tsx': PAGE } }, { '[id].tsx': PAGE }), {
    message:
      /APP_PAGE_ROUTE_TWICE: Two files for one address: client\/pages\/handbook\/\[name\]\.tsx and handbook\/pages\/\[id\]\.tsx/
  })
})

t.test('the build names the file of a root that violates the contract', async (t) => {
  const build = (own: Record<string, Tree>) =>
    buildSite(t.testdir({ pages: { 'index.tsx': PAGE }, layouts: { 'own.tsx': LAYOUT }, handbook: own }), {
      roots: [ROOT]
    })
  await t.rejects(build({ pages: { 'a.tsx': `${PAGE}export const getdata = 1` } }), {
    message: /handbook\/pages\/a\.tsx: "getdata"/
  })
  await t.rejects(build({ pages: { 'a.tsx': `${PAGE}export const layout = 'own'` } }), {
    message: /handbook\/pages\/a\.tsx: there is no layout "own" in handbook\/layouts/
  })
  await t.rejects(build({ pages: { '[.tsx': PAGE } }), { message: /handbook\/pages\/\[\.tsx/ })
})
