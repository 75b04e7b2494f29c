import t from 'tap'
import { checkContext, checkContract } from '../../../src/build/pages/contract.ts'
import { parseModule } from '../../../src/build/pages/module-exports.ts'
import { PageContext } from '../../../src/render/page-context.ts'

const check = (code: string, kind: 'page' | 'layout' = 'page') =>
  checkContract('client/pages/x.tsx', kind, parseModule('client/pages/x.tsx', code).exports)
const COMPONENT = 'export default function Page () { return null }\n'

t.test('accepts every valid export of a page', async (t) => {
  t.same(
    check(`${COMPONENT}
    export type Row = { id: string }
    export interface Other { id: string }
    export const guard = () => {}, getMeta = () => ({})
    export async function getData () {}
    const action = async () => {}
    export { action }
    export const layout = 'members' as const
    export const streaming = true
    export const clientOnly = false
    export const staticData = false`),
    []
  )
  t.same(check(`${COMPONENT} export const layout = null`), [])
})

t.test('names a misspelt export, and suggests the right one', async (t) => {
  t.same(check(`${COMPONENT} export const getdata = () => ({})`), [
    'client/pages/x.tsx: "getdata" is not something a page exports; did you mean "getData"?'
  ])
  t.same(check(`${COMPONENT} export const streamin = true`), [
    'client/pages/x.tsx: "streamin" is not something a page exports; did you mean "streaming"?'
  ])
  t.match(check(`${COMPONENT} export function helper () {}`), [
    /"helper" is not something a page exports; it may export default, guard/
  ])
})

t.test('names the equivalent of an export of another framework', async (t) => {
  for (const [name, meant] of [
    ['metadata', 'getMeta'],
    ['getServerSideProps', 'getData'],
    ['revalidate', 'cache'],
    ['generateStaticParams', 'sitemap']
  ])
    t.same(check(`${COMPONENT} export const ${name} = 1`), [
      `client/pages/x.tsx: "${name}" is not something a page exports; did you mean "${meant}"?`
    ])
  t.match(check(`${COMPONENT} export const metadata = {}`, 'layout'), [/a layout exports; did you mean "getMeta"/])
  t.match(check(`${COMPONENT} export const revalidate = 60`, 'layout'), [/a layout exports; it may export default/])
})

t.test('refuses an async component in every notation', async (t) => {
  for (const code of [
    'export default async function Page () {}',
    'export default async () => {}',
    'async function Page () {}\nexport default Page',
    'const Page = async () => {}\nexport { Page as default }'
  ])
    t.same(check(code), ['client/pages/x.tsx: a component cannot be async: let getData load what it needs'], code)
})

t.test('requires a component', async (t) => {
  t.same(check('export const getData = () => ({})'), ['client/pages/x.tsx: a page exports a component as default'])
})

t.test('finds exports of one declaration', async (t) => {
  const { exports } = parseModule(
    'x.tsx',
    'export const { guard, getData: action = f, cache: [layout, { onSend }], ...sitemap } = made()'
  )
  t.same(
    exports.map(({ name }) => name),
    ['guard', 'action', 'layout', 'onSend', 'sitemap']
  )
  t.match(check(`${COMPONENT} export const { layout, gard } = made`), [/"layout" must be written as/, /mean "guard"/])
})

t.test('requires literals for flags and layouts', async (t) => {
  t.match(check(`${COMPONENT} export const streaming = isOn()`), [/"streaming" must be written as true or false/])
  t.match(check(`${COMPONENT} export const layout = name`), [/"layout" must be written as the name/])
  t.match(check(`${COMPONENT} export const layout = null`, 'layout'), [/"layout" must be written as the name/])
})

t.test('names exports that exclude each other', async (t) => {
  const pairs = [
    ['staticData = true', 'guard = () => {}'],
    ['cache = { maxAge: 1 }', 'guard = () => {}'],
    ['cache = { maxAge: 1 }', 'streaming = true'],
    ['serverOnly = true', 'clientOnly = true'],
    ['serverOnly = true', 'streaming = true']
  ]
  for (const [one, other] of pairs)
    t.match(
      check(`${COMPONENT} export const ${one}; export const ${other}`),
      [/exclude each other/],
      `${one}, ${other}`
    )
  t.same(check(`${COMPONENT} export const staticData = false; export const guard = () => {}`), [])
})

t.test('refuses exports that it cannot read', async (t) => {
  t.throws(() => check(`${COMPONENT} export * from './other.ts'`), {
    message: /client\/pages\/x\.tsx: "export \* from" hides/
  })
  t.throws(() => check('export default function ('), { message: /^client\/pages\/x\.tsx: / })
})

t.test('names a key of getMeta that Hull does not write', async (t) => {
  const problem = [
    'client/pages/x.tsx: "getMeta" returns "script", which Hull does not write: put it into client/index.html, or import it in the page; structured data is `jsonLd`'
  ]
  for (const getMeta of [
    'const getMeta = () => ({ title: "x", script: [] })',
    'async function getMeta () { if (a) { return { script: [] } } return {} }',
    'const getMeta = (() => ({ script: [] } as Meta)) satisfies Other'
  ])
    t.same(check(`${COMPONENT} export ${getMeta}`), problem, getMeta)
  t.same(
    check(`${COMPONENT} export const getMeta = () => { const f = () => ({ script: 1 }); return { title: f() } }`),
    []
  )
})

t.test('refuses exports of client/context.ts that would replace a member of the context', async (t) => {
  const request = { url: '/' } as never
  const context = new PageContext({
    request,
    reply: {} as never,
    params: {},
    deadline: {} as never,
    baseUrl: undefined
  })
  const members = new Set([...Object.keys(context), ...Object.getOwnPropertyNames(PageContext.prototype)])
  members.delete('constructor')
  // `state` is created by an export.
  members.delete('state')
  for (const name of members)
    t.match(checkContext('client/context.ts', [{ name, literal: undefined }]), [/of its own/], name)
  t.same(checkContext('client/context.ts', [{ name: 'shop', literal: undefined }]), [])
})
