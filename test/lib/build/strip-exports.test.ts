import t from 'tap'
import { SERVER_EXPORTS } from '../../../lib/build/contract.ts'
import { stripExports } from '../../../lib/build/strip-exports.ts'

const strip = (code: string, names = SERVER_EXPORTS) =>
  stripExports('client/pages/x.tsx', code, names)?.code.replace(/\s+/g, ' ').trim()

t.test('leaves a module without server code alone', async (t) => {
  t.equal(strip('export default function Page () { return null }'), undefined)
})

t.test('removes the exports and the imports that only they used', async (t) => {
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

t.test('removes helpers that only they used, also those that use each other', async (t) => {
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

t.test('keeps what both sides use, and what nothing used before', async (t) => {
  t.equal(
    strip(`
    import { both } from './both.ts'
    import { never } from './never.ts'
    const idle = start()
    export const guard = () => both()
    export default () => both(idle.x)
  `),
    "import { both } from './both.ts' import { never } from './never.ts' const idle = start() export default () => both(idle.x)"
  )
})

t.test('is not misled by property names, attributes and types', async (t) => {
  t.equal(
    strip(`
    import { title, secret, Row } from '../../lib/db.ts'
    export const getData = (row: Row) => title(secret)
    export default function Page ({ data }: { data: ReturnType<typeof title> }) { return <A title={data.secret} x={{ secret: 1 }} /> }
  `),
    'export default function Page ({ data }: { data: ReturnType<typeof title> }) { return <A title={data.secret} x={{ secret: 1 }} /> }'
  )
})

t.test('takes some names of an export list and leaves the rest', async (t) => {
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

t.test('removes a component for the server, with what only it used', async (t) => {
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

t.test('maps what is left to where it was', async (t) => {
  const code = 'export const getData = () => 1\nexport default function Page () { return null }\n'
  const { map } = stripExports('client/pages/x.tsx', code, SERVER_EXPORTS)!
  t.same(map.sourcesContent, [code])
  t.ok(map.mappings.length > 0)
})
