import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { normalizePath, type Plugin } from 'vite'
import { buildSite } from '@hull/test-helpers/site.ts'

const PAGE = 'export default function Page () { return <p>page</p> }\n'
const LAYOUT = 'export default function Frame ({ children }) { return <div>{children}</div> }\n'

/** Builds pages and layouts, given by file name, and returns the error message. */
async function refusalOf(t: Test, files: Record<string, string>): Promise<string> {
  const tree: Record<string, Record<string, string>> = {
    pages: { 'index.tsx': PAGE },
    layouts: {},
    fallbacks: {}
  }
  for (const [path, code] of Object.entries(files)) {
    const [folder, name] = path.split('/') as [string, string]
    tree[folder]![name] = code
  }
  try {
    await buildSite(t.testdir(tree))
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('the build succeeded')
}

const BROKEN: Array<[behaviour: string, files: Record<string, string>, ...says: Array<string | RegExp>]> = [
  [
    'a misspelt export',
    { 'pages/items.tsx': `${PAGE}export const getdata = () => ({})` },
    'client/pages/items.tsx: "getdata"',
    'did you mean "getData"?'
  ],
  [
    'two files for one address',
    { 'pages/[id].tsx': PAGE, 'pages/[name].tsx': PAGE },
    'Two files for one address',
    'client/pages/[id].tsx',
    'client/pages/[name].tsx'
  ],
  [
    'an unknown layout',
    { 'pages/items.tsx': `${PAGE}export const layout = 'nowhere'` },
    'client/pages/items.tsx',
    '"nowhere"'
  ],
  [
    'a layout inside itself',
    { 'layouts/a.tsx': `${LAYOUT}export const layout = 'b'`, 'layouts/b.tsx': `${LAYOUT}export const layout = 'a'` },
    /client\/layouts\/[ab]\.tsx/
  ],
  [
    'a layout that names itself',
    { 'layouts/a.tsx': `${LAYOUT}export const layout = 'a'` },
    'client/layouts/a.tsx: the layout "a" includes itself'
  ],
  [
    'a `path` that is the path of another file',
    { 'pages/items.tsx': PAGE, 'pages/other.tsx': `${PAGE}export const path = '/items'` },
    'Two files for one address',
    'client/pages/items.tsx',
    'client/pages/other.tsx'
  ],
  [
    'a fallback with an unknown name',
    { 'fallbacks/notfound.tsx': PAGE },
    'client/fallbacks/notfound.tsx: no fallback has this name; did you mean "not-found"?'
  ],
  [
    'a fallback without a component',
    { 'fallbacks/error.tsx': 'export const Other = () => null' },
    'client/fallbacks/error.tsx: export a default'
  ],
  [
    'missing texts of the error page',
    { 'fallbacks/error-text.ts': "export const errorSentence = () => ''" },
    'client/fallbacks/error-text.ts: export "digestLine"'
  ],
  ['a parameter without a name', { 'pages/[].tsx': PAGE }, 'client/pages/[].tsx'],
  ['a parameter without its closing bracket', { 'pages/[id.tsx': PAGE }, 'client/pages/[id.tsx'],
  [
    'staticData with a guard',
    { 'pages/items.tsx': `${PAGE}export const staticData = true\nexport const guard = () => true` },
    'client/pages/items.tsx: "staticData" and "guard"'
  ],
  [
    'cache with a guard',
    { 'pages/items.tsx': `${PAGE}export const cache = { maxAge: 1 }\nexport function guard () {}` },
    'client/pages/items.tsx: "cache" and "guard"'
  ],
  [
    'a page without a component',
    { 'pages/items.tsx': 'export const getData = () => 1' },
    'client/pages/items.tsx',
    'default'
  ],
  [
    'a flag that is computed',
    { 'pages/items.tsx': `${PAGE}export const streaming = 1 > 0` },
    'client/pages/items.tsx: "streaming"'
  ],
  ['a page that cannot be parsed', { 'pages/items.tsx': `${PAGE}export const = 1` }, 'client/pages/items.tsx'],
  ['export *', { 'pages/items.tsx': `${PAGE}export * from './index.tsx'` }, 'client/pages/items.tsx: "export * from"'],
  [
    'a side-effect import of server code',
    { 'pages/items.tsx': `import '../../routes/lab/items.ts'\n${PAGE}` },
    'client/pages/items.tsx brings routes/lab/items.ts into the browser'
  ],
  [
    'server code that a component uses',
    {
      'pages/items.tsx': `import { listItems } from '../../routes/lab/items.ts'\nexport default () => <p>{listItems().length}</p>`
    },
    'may use server code. Return the value from getData, or move code for both sides to client/'
  ],
  [
    'a module of Node that a component uses',
    { 'pages/items.tsx': `import { platform } from 'node:os'\nexport default () => <p>{platform()}</p>` },
    'client/pages/items.tsx imports node:os'
  ]
]

for (const [behaviour, files, ...says] of BROKEN) {
  t.test(`the build refuses ${behaviour}, and names the file`, async (t) => {
    const message = await refusalOf(t, files)
    for (const words of says) t.match(message, words)
  })
}

t.test(
  "the build refuses a page that is a symbolic link, because its server code would be in the browser's bundle",
  async (t) => {
    const code = `export const getData = () => ['secret', Date.now()]\n${PAGE}`
    const folder = t.testdir({ pages: { 'index.tsx': PAGE }, shared: { 'linked.tsx': code } })
    symlinkSync(join(folder, 'shared/linked.tsx'), join(folder, 'pages/linked.tsx'))
    await t.rejects(buildSite(folder), { message: /client\/pages\/linked\.tsx: a symbolic link leads to it; move/ })
  }
)

t.test('the build refuses a folder of pages that is a symbolic link, because its pages would be missing', async (t) => {
  const folder = t.testdir({ pages: { 'index.tsx': PAGE }, shared: { 'linked.tsx': PAGE } })
  symlinkSync(join(folder, 'shared'), join(folder, 'pages/shop'))
  await t.rejects(buildSite(folder), { message: /client\/pages\/shop: a symbolic link leads to it; move/ })
})

for (const name of ['#items', '@routes/items.ts'])
  t.test(`the build refuses server code that a component imports by an alias: ${name}`, async (t) => {
    const folder = t.testdir({
      pages: { 'index.tsx': `import { listItems } from '${name}'\nexport default () => <p>{listItems().length}</p>` }
    })
    const names: Plugin = {
      name: 'names',
      resolveId: (source, importer) =>
        source === name ? normalizePath(join(importer!, '../../../routes/lab/items.ts')) : undefined
    }
    await t.rejects(buildSite(folder, { vite: { plugins: [names] } }), {
      message: /client\/pages\/index\.tsx brings routes\/lab\/items\.ts into the browser/
    })
  })

t.test('reports all problems at once', async (t) => {
  const message = await refusalOf(t, {
    'pages/a.tsx': `${PAGE}export const getdata = 1`,
    'pages/b.tsx': `${PAGE}export const layout = 'nowhere'`,
    'layouts/c.tsx': 'export const guard = () => true'
  })
  for (const file of ['client/pages/a.tsx', 'client/pages/b.tsx', 'client/layouts/c.tsx']) t.match(message, file)
})

t.test('the build accepts server code that only getData uses', async (t) => {
  const folder = t.testdir({
    pages: {
      'index.tsx': `import { listItems } from '../../routes/lab/items.ts'\nexport const getData = () => listItems().length\n${PAGE}`
    }
  })
  await t.resolves(buildSite(folder))
})
