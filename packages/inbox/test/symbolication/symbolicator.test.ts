import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Frame } from '../../src/store/model.ts'
import { importMaps } from '../../src/symbolication/import.ts'
import { createSymbolicator } from '../../src/symbolication/symbolicator.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { encodeMappings, openStore, toDetail, writeMaps } from '@hull/test-helpers/source-maps.ts'

const NONE = new Map<string, string>()
const URL = 'https://shop.example/assets/index-Cqq41uWn.js'

const CART = Array.from({ length: 12 }, (_, at) => `cart line ${at + 1}`).join('\n')

/** Source map of two lines of code, generated from a file of the project, of a package, and of the bundler. */
const MAP = {
  version: 3,
  names: ['addToCart', 'render'],
  sources: ['../../../client/cart.tsx', '../../../../elsewhere/node_modules/@lib/ui/dist/ui.js', '\0made/up.js'],
  sourcesContent: [CART, 'ui line 1\nui line 2', 'x'],
  ignoreList: [1],
  mappings: encodeMappings([
    [[0, 0, 4, 2], [10, 0, 6, 4, 0], [20, 1, 0, 0], [30, 1, 1, 3, 1], [40, 2, 0, 0], [50]],
    [[5, 0, 0, 0]]
  ])
}

function open(t: Test, maps: Record<string, object | string> = { 'client/assets/index-Cqq41uWn.js': MAP }) {
  const store = openStore(t)
  const folder = createFolder(t)
  const list = writeMaps(folder, maps)
  importMaps(store, { folder, release: 'r1', now: 1 })
  return { store, folder, list, symbolicator: createSymbolicator(store) }
}

/** Resolves frames of a browser, in release r1. */
function resolve(t: Test, frames: Partial<Frame>[], maps?: Record<string, object | string>) {
  const detail = toDetail(frames, { release: 'r1' })
  const count = open(t, maps).symbolicator.resolve(detail, NONE)
  return { frames: detail.exceptions[0]!.frames, count }
}

t.test('a frame gets its source file, line, column and the lines around it', async (t) => {
  const { frames, count } = resolve(t, [{ file: URL, line: 1, column: 5, function: 'e' }])
  t.same(frames, [
    {
      file: 'client/cart.tsx',
      line: 5,
      column: 3,
      inApp: true,
      source: {
        before: ['cart line 2', 'cart line 3', 'cart line 4'],
        line: 'cart line 5',
        after: ['cart line 6', 'cart line 7', 'cart line 8']
      },
      built: { file: URL, line: 1, column: 5, function: 'e' }
    }
  ])
  t.same(count, { own: 1, unresolved: 0 })
})

t.test('a source map with sections, as Turbopack writes it, is read', async (t) => {
  const section = (line: number, column: number, name: string, mappings: Parameters<typeof encodeMappings>[0]) => ({
    offset: { line, column },
    map: {
      version: 3,
      names: [],
      sources: [`../../../client/${name}.tsx`],
      sourcesContent: [`${name} line 1\n${name} line 2`],
      mappings: encodeMappings(mappings)
    }
  })
  const map = {
    version: 3,
    sections: [
      section(0, 0, 'cart', [[[0, 0, 0, 0]]]),
      section(0, 20, 'pay', [[[0, 0, 1, 0]], [[0, 0, 0, 0]]]),
      section(3, 0, 'end', [[[4, 0, 1, 2]]])
    ]
  }
  const places = [
    [1, 1],
    [1, 20],
    [1, 21],
    [2, 9],
    [4, 5]
  ] as const
  const { frames } = resolve(
    t,
    places.map(([line, column]) => ({ file: URL, line, column })),
    { 'client/assets/index-Cqq41uWn.js': map }
  )
  t.same(
    frames.map(({ file, line, column, source }) => [file, line, column, source?.line]),
    [
      ['client/cart.tsx', 1, 1, 'cart line 1'],
      ['client/cart.tsx', 1, 1, 'cart line 1'],
      ['client/pay.tsx', 2, 1, 'pay line 2'],
      ['client/pay.tsx', 1, 1, 'pay line 1'],
      ['client/end.tsx', 2, 3, 'end line 2']
    ]
  )
})

t.test('columns of a stack begin at 1, and columns of a source map at 0', async (t) => {
  const { frames } = resolve(t, [
    { file: URL, line: 1, column: 10 },
    { file: URL, line: 1, column: 11 }
  ])
  t.equal(frames[0]!.line, 5)
  t.equal(frames[1]!.line, 7)
})

t.test('an awaited call gets the position of its `await`, not of the variable', async (t) => {
  // The code is `const { a } = await (await fetch(x)).json()`, where the bundler has inlined `response`.
  const source = 'const response = await fetch(x)\nconst { a } = await response.json()\nlog(fetch(x), response)'
  const mappings = encodeMappings([
    [
      [0, 0, 1, 0],
      [14, 0, 1, 14],
      [21, 0, 1, 20],
      [27, 0, 0, 23],
      [33, 0, 0, 29],
      [38, 0, 1, 29]
    ],
    [
      [0, 0, 2, 0],
      [4, 0, 2, 14],
      [10, 0, 0, 9]
    ]
  ])
  const map = { version: 3, names: [], sources: ['../../../client/wait.ts'], sourcesContent: [source], mappings }
  const maps = { 'client/assets/index-Cqq41uWn.js': map }
  const place = (line: number, column: number) => {
    const { line: at, column: from } = resolve(t, [{ file: URL, line, column }], maps).frames[0]!
    return [at, from]
  }
  t.same(place(1, 22), [1, 18], 'the inner await')
  t.same(place(1, 15), [2, 15], 'the outer await')
  t.same(place(1, 28), [1, 24], 'the awaited call')
  t.same(place(2, 5), [3, 15], 'another word of six letters')
})

t.test('files in the ignoreList of the source map, and files that the bundler generated, are not in-app', async (t) => {
  const { frames, count } = resolve(t, [
    { file: URL, line: 1, column: 21 },
    { file: URL, line: 1, column: 41 }
  ])
  t.match(frames[0], { file: 'node_modules/@lib/ui/dist/ui.js', package: '@lib/ui', inApp: false })
  t.match(frames[1], { inApp: false })
  t.same(count, { own: 0, unresolved: 0 })
  const vendored = resolve(t, [{ file: URL, line: 1, column: 5 }], {
    'client/assets/index-Cqq41uWn.js': { ...MAP, ignoreList: [0] }
  })
  t.match(vendored.frames[0], { file: 'client/cart.tsx', inApp: false })
  const former = resolve(t, [{ file: URL, line: 1, column: 5 }], {
    'client/assets/index-Cqq41uWn.js': { ...MAP, ignoreList: undefined, x_google_ignoreList: [0] }
  })
  t.match(former.frames[0], { file: 'client/cart.tsx', inApp: false }, 'the former name of the list')
})

t.test('a function gets the name at the call, if both frames belong to the same code', async (t) => {
  const { frames } = resolve(t, [
    { file: URL, line: 1, column: 1, function: 'e' },
    { file: URL, line: 1, column: 11, function: 't' },
    { file: URL, line: 1, column: 31, function: 'n' },
    { file: URL, line: 2, column: 6, function: 'handleSubmit' }
  ])
  t.equal(frames[0]!.function, 'addToCart')
  t.equal(frames[1]!.function, undefined, 'a package calls it by another name')
  t.equal(frames[2]!.function, undefined)
  t.equal(frames[3]!.function, 'handleSubmit', 'a name that was not minified is kept')
  t.equal(frames[0]!.built?.function, 'e')
})

t.test('the function names of the build have priority', async (t) => {
  const map = {
    ...MAP,
    x_hull_functions: [{ names: ['Cart', 'add'], ranges: [0, 0, 11, 0, 0, 4, 0, 4, 9, 1] }, null, null]
  }
  const { frames } = resolve(
    t,
    [
      { file: URL, line: 1, column: 1, function: 'e' },
      { file: URL, line: 1, column: 11, function: 't' }
    ],
    { 'client/assets/index-Cqq41uWn.js': map }
  )
  t.equal(frames[0]!.function, 'add')
  t.equal(frames[1]!.function, 'Cart')
})

t.test('the component stack of React is resolved, too', async (t) => {
  const { symbolicator } = open(t)
  const components = [{ file: URL, line: 1, column: 5, function: 'e', inApp: true }]
  const detail = toDetail([], { release: 'r1', components })
  t.same(symbolicator.resolve(detail, NONE), { own: 0, unresolved: 0 })
  t.match(detail.components, [{ file: 'client/cart.tsx', line: 5 }])
})

t.test('finds a file by the debug id in the event, whatever its name', async (t) => {
  const { symbolicator, list } = open(t)
  const detail = toDetail([{ file: 'https://cdn.example/renamed.js', line: 1, column: 5 }], { release: 'other' })
  symbolicator.resolve(detail, new Map([['https://cdn.example/renamed.js', list[0]!.debugId.toUpperCase()]]))
  t.equal(detail.exceptions[0]!.frames[0]!.file, 'client/cart.tsx')
})

t.test('files and builds of the application are used only for its own project', async (t) => {
  const root = t.testdir({ 'server.ts': CART })
  const { store, list } = open(t)
  const symbolicator = createSymbolicator(store, { root, release: 'r1' })
  for (const [frame, side, debugIds] of [
    [{ file: join(root, 'server.ts'), line: 2 }, 'server', NONE],
    [{ file: URL, line: 1, column: 5 }, 'browser', NONE],
    [{ file: 'a.js', line: 1, column: 5 }, 'browser', new Map([['a.js', list[0]!.debugId]])]
  ] as const) {
    const framesOf = (project: number) => {
      const detail = toDetail([frame], { side, release: 'r1' })
      symbolicator.resolve(detail, debugIds, project)
      return detail.exceptions[0]!.frames
    }
    t.ok(framesOf(1)[0]!.source)
    t.same(framesOf(2), toDetail([frame], { side }).exceptions[0]!.frames)
  }
})

t.test('a file is found with a prefix, with a query, and with encoded characters', async (t) => {
  for (const file of [
    'https://cdn.example/shop/v2/assets/index-Cqq41uWn.js?x=1#y',
    'https://shop.example/assets/index%2DCqq41uWn.js',
    '/assets/index-Cqq41uWn.js',
    'app:///assets/index-Cqq41uWn.js',
    'capacitor://localhost/assets/index-Cqq41uWn.js',
    'tauri://localhost/assets/index-Cqq41uWn.js',
    '~/assets/index-Cqq41uWn.js'
  ])
    t.equal(resolve(t, [{ file, line: 1, column: 5 }]).frames[0]!.file, 'client/cart.tsx', file)
})

t.test('the bundle of the server is found only by its release', async (t) => {
  const { symbolicator } = open(t, { 'server/index.js': { ...MAP, sources: ['../../client/cart.tsx', 'b', 'c'] } })
  const at = (file: string, release: string) => {
    const detail = toDetail([{ file, line: 1, column: 5 }], { side: 'server', release })
    return { count: symbolicator.resolve(detail, NONE), file: detail.exceptions[0]!.frames[0]!.file }
  }
  t.same(at('/srv/app/dist/server/index.js', 'r1'), { count: { own: 1, unresolved: 0 }, file: 'client/cart.tsx' })
  t.equal(at('file:///srv/app/dist/server/index.js', 'r1').file, 'client/cart.tsx')
  t.equal(at(String.raw`C:\app\dist\server\index.js`, 'r1').file, 'client/cart.tsx')
  t.same(at('/srv/app/dist/server/index.js', 'r2'), {
    count: { own: 1, unresolved: 1 },
    file: '/srv/app/dist/server/index.js'
  })
})

t.test('a file without a hash in its name is found only by its release', async (t) => {
  const { symbolicator } = open(t, { 'client/assets/index.js': MAP })
  const fileIn = (release: string | undefined) => {
    const detail = toDetail([{ file: 'https://shop.example/assets/index.js', line: 1, column: 5 }], { release })
    symbolicator.resolve(detail, NONE)
    return detail.exceptions[0]!.frames[0]!.file
  }
  t.equal(fileIn('r1'), 'client/cart.tsx')
  t.equal(fileIn('r2'), 'https://shop.example/assets/index.js')
  t.equal(fileIn(undefined), 'https://shop.example/assets/index.js')
})

t.test('unknown positions do not change, and those of own files are counted', async (t) => {
  const given = [
    { file: URL, line: 1, column: 51 },
    { file: URL, line: 3, column: 1 },
    { file: URL, line: 2, column: 1 },
    { file: 'https://shop.example/assets/unknown-12345678.js', line: 1, column: 1 },
    { file: 'https://widgets.example/chat.js', line: 1, column: 1 },
    { file: 'https://shop.example/checkout', line: 7, column: 1 }
  ]
  const { symbolicator } = open(t)
  const detail = toDetail(given, { release: 'r1', url: 'https://shop.example/checkout' })
  t.same(symbolicator.resolve(detail, NONE), { own: 4, unresolved: 4 })
  t.same(
    detail.exceptions[0]!.frames,
    given.map((frame) => ({ ...frame, inApp: true }))
  )
})

t.test('counts frames in bundles of React Native, which are minified too', async (t) => {
  const { symbolicator } = open(t)
  for (const file of ['app:///index.android.bundle', 'app:///main.jsbundle', 'app:///index.ios.bundle']) {
    const detail = toDetail([{ file, line: 1, column: 5 }], { release: 'r1', platform: 'javascript' })
    t.same(symbolicator.resolve(detail, NONE), { own: 1, unresolved: 1 }, file)
  }
})

t.test('an event that is already resolved does not change', async (t) => {
  const { symbolicator } = open(t)
  const detail = toDetail([{ file: URL, line: 1, column: 5 }], { release: 'r1' })
  symbolicator.resolve(detail, NONE)
  const before = structuredClone(detail)
  symbolicator.resolve(detail, NONE)
  t.same(detail, before)
})

t.test('source lines are added for files of the server, and for no other file', async (t) => {
  const folder = t.testdir({
    project: {
      lib: { 'shop.ts': CART, 'huge.ts': 'x\n'.repeat(600_000), 'folder.ts': {} },
      node_modules: { undici: { lib: { 'fetch.js': CART } } },
      '.env': 'SECRET=1',
      '.hidden': { 'a.ts': CART },
      dist: { server: { 'index.js': CART } }
    },
    'outside.ts': CART
  })
  const root = join(folder, 'project')
  symlinkSync(join(folder, 'outside.ts'), join(root, 'lib/link.ts'))
  const symbolicator = createSymbolicator(openStore(t), { root, release: 'r1' })
  const frameOf = (file: string, rest: object = {}) => {
    const detail = toDetail([{ file, line: 5, column: 1 }], { side: 'server', release: 'r1', ...rest })
    symbolicator.resolve(detail, NONE)
    return detail.exceptions[0]!.frames[0]!
  }
  t.match(frameOf(join(root, 'lib/shop.ts')), {
    file: 'lib/shop.ts',
    line: 5,
    inApp: true,
    source: { line: 'cart line 5' }
  })
  t.match(frameOf(join(root, 'node_modules/undici/lib/fetch.js')), {
    file: 'node_modules/undici/lib/fetch.js',
    package: 'undici',
    inApp: false,
    source: { line: 'cart line 5' }
  })
  for (const file of [
    '../outside.ts',
    'lib/../../outside.ts',
    'lib/link.ts',
    'lib/folder.ts',
    'lib/huge.ts',
    'lib/gone.ts',
    'lib/shop.ts\0',
    '.env',
    '.hidden/a.ts',
    'dist/server/index.js'
  ])
    t.equal(frameOf(`${root}/${file}`).source, undefined, file)
  t.equal(frameOf('/etc/passwd').file, '/etc/passwd')
  t.equal(frameOf('lib/shop.ts').source, undefined, 'a relative path')
  t.equal(frameOf(join(root, 'lib/shop.ts'), { release: 'r0' }).source, undefined, 'a file of another release')
  t.equal(frameOf(join(root, 'lib/shop.ts'), { side: 'browser' }).file, join(root, 'lib/shop.ts'))
  t.equal(frameOf('node:internal/process/task_queues').inApp, false)
})

t.test('source lines of the client are kept', async (t) => {
  const root = t.testdir({ lib: { 'shop.ts': CART } })
  const source = { before: [], line: 'sent', after: [] }
  const detail = toDetail([{ file: join(root, 'lib/shop.ts'), line: 5, source }], { side: 'server' })
  createSymbolicator(openStore(t), { root }).resolve(detail, NONE)
  t.same(detail.exceptions[0]!.frames[0]!.source, source)
})
