import t from 'tap'
import { SERVER_EXPORTS } from '../../../src/build/pages/contract.ts'
import { stripExports } from '../../../src/build/pages/strip-exports.ts'

const strip = (code: string, names = SERVER_EXPORTS) =>
  stripExports('client/pages/x.tsx', code, names)?.code.replace(/\s+/g, ' ').trim()

t.test('does not change a module without server code', async (t) => {
  t.equal(strip('export default function Page () { return null }'), undefined)
})

t.test('removes the exports, and the imports that only they use', async (t) => {
  t.equal(
    strip(`
    import { readFile } from 'node:fs/promises'
    import db, { type Row } from '../../lib/db.ts'
    import { format } from '../format.ts'
    import '../page.css'
    export const getData = async () => ({ rows: await db.all(), text: await readFile('x') })
    export async function action () { await db.clear() }
    export default function Page ({ data }) { return <p>{format(data)}</p> }
  `),
    "import { format } from '../format.ts' import '../page.css' export default function Page ({ data }) { return <p>{format(data)}</p> }"
  )
})

t.test('removes helpers that only they use, also if the helpers use each other', async (t) => {
  t.equal(
    strip(`
    import { query } from '../../lib/query.ts'
    const [first, { second = query('default') }] = query('all')
    function even (n) { return n === 0 || odd(n - 1) }
    function odd (n) { return even(n - 1) && second }
    class Model { static load () { return first } }
    const shared = 1
    export const getData = () => [even(2), Model.load(), shared]
    export default () => <p title={shared}>x</p>
  `),
    'const shared = 1 export default () => <p title={shared}>x</p>'
  )
})

t.test('keeps code that both sides use, and unused code except imports', async (t) => {
  t.equal(
    strip(`
    import { both } from './both.ts'
    import { never } from './never.ts'
    const idle = start()
    export const guard = () => both()
    export default () => both(idle.x)
  `),
    "import { both } from './both.ts' const idle = start() export default () => both(idle.x)"
  )
})

t.test('distinguishes names from properties, attributes and types', async (t) => {
  t.equal(
    strip(`
    import { title, secret, Row } from '../../lib/db.ts'
    export const getData = (row: Row) => title(secret)
    export default function Page ({ data }: { data: ReturnType<typeof title> }) { return <A title={data.secret} x={{ secret: 1 }} /> }
  `),
    'export default function Page ({ data }: { data: ReturnType<typeof title> }) { return <A title={data.secret} x={{ secret: 1 }} /> }'
  )
})

t.test('removes imports of types and unused imports, also from a page without server code', async (t) => {
  t.equal(
    strip(`
    import type { Row } from '../../lib/db.ts'
    import { type Column } from '../../lib/db.ts'
    import db from '../../lib/db.ts'
    import '../page.css'
    export default function Page ({ row }: { row: Row & Column }) { return row.id }
  `),
    "import '../page.css' export default function Page ({ row }: { row: Row & Column }) { return row.id }"
  )
})

/**
 * Code of a component in a module with `import { items } from '../../lib/items.ts'`, and whether it uses the import.
 */
const BINDINGS: Array<[code: string, uses: boolean]> = [
  ['({ items }) => items', false],
  ['({ data: { items } }) => items', false],
  ['({ data: { items: list } }) => list', false],
  ['({ data: { items: { length } } }) => length', false],
  ['({ data: { other: items } }) => items', false],
  ['({ data: { items = [] } }) => items', false],
  ['({ data: { other = items } }) => other', true],
  ['({ data: { [items]: value } }) => value', true],
  ['({ ...items }) => items', false],
  ['([items]) => items', false],
  ['([first = items]) => first', true],
  ['(a, b = items) => b', true],
  ['function Page() { const { items } = load(); return items }', false],
  ['function Page() { const { a: { items } } = load(); return items }', false],
  ['function Page() { for (const items of load()) show(items) }', false],
  ['function Page() { for (const item of items) show(item) }', true],
  ['function Page() { try { load() } catch (items) { show(items) } }', false],
  ['function Page() { try { load() } catch ({ items }) { show(items) } }', false],
  ['function Page() { function items() {} return items() }', false],
  ['function Page() { return items(); function items() {} }', false],
  ['function Page() { if (true) { var items = 1 } return items }', false],
  ['function Page() { { let items = 1; show(items) } return null }', false],
  ['function Page() { { let items = 1; show(items) } return items }', true],
  ['function Page() { class items {} return new items() }', false],
  ['(function items() { return items })', false],
  ['class Page { items = 1; render() { return this.items } }', false],
  ['class Page { [items] = 1 }', true],
  ['class Page extends items {}', true],
  ['() => { items: for (;;) break items }', false],
  ['() => ({ items: 1 }).items', false],
  ['() => ({ items })', true],
  ['() => ({ [items]: 1 })', true],
  ['() => ({ items() { return 1 } })', false],
  ['() => other.items + other?.items', false],
  ['() => other[items]', true],
  ['() => `${items}`', true],
  ['() => items`x`', true],
  ['() => <p items={1}>items</p>', false],
  ['() => <p items={items} />', true],
  ['() => <p {...items} />', true],
  ['() => <items.Item />', true],
  ['() => <other.items />', false],
  ['() => { let a: typeof items; return a! }', false],
  ['() => load<typeof items>()', false],
  ['() => items as unknown', true],
  ['() => items satisfies unknown', true],
  ['() => items!', true]
]

t.test('decides by the scope whether a name is the import', async (t) => {
  for (const [code, uses] of BINDINGS) {
    const stripped = strip(`import { items } from '../../lib/items.ts'
      export const getData = () => ({ items })
      export default ${code}`)
    t.equal(stripped?.includes('lib/items.ts'), uses, code)
  }
})

t.test('removes some names of an export list and keeps the others', async (t) => {
  t.equal(
    strip(`
    import { load } from './load.ts'
    const getData = () => load()
    const layout = 'x'
    export { getData, layout }
    export { guard } from './guard.ts'
    export default () => null
  `),
    "const layout = 'x' export { layout as layout } export default () => null"
  )
})

t.test('removes a component for the server, with the code that only the component uses', async (t) => {
  t.equal(
    strip(
      `
    import { chart } from 'chart-for-browsers'
    const width = window.innerWidth
    export const clientOnly = true
    export const getData = () => 1
    export default function Page () { return chart(width) }
  `,
      ['default']
    ),
    'export const clientOnly = true export const getData = () => 1'
  )
})

t.test('maps the remaining code to its source', async (t) => {
  const code = 'export const getData = () => 1\nexport default function Page () { return null }\n'
  const { map } = stripExports('client/pages/x.tsx', code, SERVER_EXPORTS)!
  t.same(map.sourcesContent, [code])
  t.ok(map.mappings.length > 0)
})

t.test('refuses code that needs a removed export', async (t) => {
  const uploads = 'export const uploads = { fileBytes: 1024 }\nexport default () => <p>{uploads.fileBytes} bytes</p>'
  t.throws(() => strip(uploads), {
    message: 'client/pages/x.tsx: the code for the browser uses "uploads", which the build removes from it'
  })
  const together = 'export const getData = () => 1, onEnter = () => 2\nexport default () => null'
  t.throws(() => strip(together), { message: 'client/pages/x.tsx: declare "onEnter" in a statement of its own' })
  const page = 'export const getMeta = () => ({ title: Page.name })\nexport default function Page() { return null }'
  t.throws(() => strip(page, ['default']), { message: 'the code for the server uses "Page"' })
  const list =
    'const limit = 1\nconst uploads = { limit }\nexport { uploads }\nexport default () => <p>{uploads.limit}</p>'
  t.match(strip(list), 'const uploads = { limit }', 'a list can export a variable that both sides use')
  const types =
    'export const getData = () => 1\nexport default ({ data }: { data: ReturnType<typeof getData> }) => data'
  t.equal(strip(types), 'export default ({ data }: { data: ReturnType<typeof getData> }) => data')
})
