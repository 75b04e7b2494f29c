import fc from 'fast-check'
import t, { type Test } from 'tap'
import { zstdCompressSync } from 'node:zlib'
import type { Frame } from '../../src/store/model.ts'
import { MAX_MAPPINGS } from '../../src/symbolication/limits.ts'
import { MapCache } from '../../src/symbolication/map-finder.ts'
import { importMaps } from '../../src/symbolication/import.ts'
import { createSymbolicator } from '../../src/symbolication/symbolicator.ts'
import { ParsedMap } from '../../src/symbolication/parsed-map.ts'
import type { Store } from '../../src/store/store.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { encodeMappings, openStore, toDetail, writeMaps } from '@hull/test-helpers/source-maps.ts'

const NONE = new Map<string, string>()
const FILE = 'client/assets/x-12345678.js'
const URL = 'https://shop.example/assets/x-12345678.js'

const GOOD = {
  version: 3,
  names: ['a'],
  sources: ['../../../client/a.ts'],
  sourcesContent: ['one\ntwo'],
  mappings: encodeMappings([[[0, 0, 0, 0, 0]]])
}

/** Resolves a frame with a single source map. */
function resolve(t: Test, map: object | string, rest: Partial<Frame> = {}): Frame {
  const store = openStore(t)
  const folder = createFolder(t)
  writeMaps(folder, { [FILE]: map })
  importMaps(store, { folder, release: 'r1', now: 1 })
  const detail = toDetail([{ file: URL, line: 1, column: 1, ...rest }], { release: 'r1' })
  createSymbolicator(store).resolve(detail, NONE)
  return detail.exceptions[0]!.frames[0]!
}

const START = { line: 0, column: 0 }

/** Returns a source map with sections nested to this depth. */
const nested = (depth: number) =>
  '{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":'.repeat(depth) + '{}' + '}]}'.repeat(depth)

const UNREADABLE: [behaviour: string, map: object | string][] = [
  ['is no JSON', '{"version":3,'],
  ['is a list', '[]'],
  ['is null', 'null'],
  ['is of another version', { ...GOOD, version: 2 }],
  ['has sections within sections', nested(2)],
  ['has 100,000 levels of sections', nested(100_000)],
  ['has invalid sections', { version: 3, sections: [null] }],
  ['has a section without a map', { version: 3, sections: [{ offset: START, url: 'a.js.map' }] }],
  ['has a section without an offset', { version: 3, sections: [{ map: GOOD }] }],
  ['has a section with a negative column', { version: 3, sections: [{ offset: { line: 0, column: -1 }, map: GOOD }] }],
  ['has sections and is of another version', { version: 2, sections: [{ offset: START, map: GOOD }] }],
  ['has no mappings', { ...GOOD, mappings: undefined }],
  ['has mappings that are no string', { ...GOOD, mappings: [1, 2] }],
  ['has sources that are no list', { ...GOOD, sources: 'client/a.ts' }],
  ['has sources that are no strings', { ...GOOD, sources: [{}] }],
  ['does not have the source of a mapping', { ...GOOD, sources: [] }],
  ['refers to a line after the end of the source', { ...GOOD, mappings: encodeMappings([[[0, 0, 7, 0]]]) }],
  ['refers to a line before the start of the source', { ...GOOD, mappings: encodeMappings([[[0, 0, -7, -9]]]) }],
  ['refers to a source that it does not have', { ...GOOD, mappings: encodeMappings([[[0, 9, 0, 0]]]) }],
  ['has mappings that are no base64', { ...GOOD, mappings: '!"§$%&\0\u{1f600}' }],
  ['has a number that does not end', { ...GOOD, mappings: 'g'.repeat(100_000) }],
  ['has more mappings than the limit', { ...GOOD, mappings: ';'.repeat(MAX_MAPPINGS + 1) }],
  [
    'has sections with more mappings than the limit',
    {
      version: 3,
      sections: [GOOD, { ...GOOD, mappings: ';'.repeat(MAX_MAPPINGS) }].map((map) => ({ offset: START, map }))
    }
  ],
  ['has empty mappings', { ...GOOD, mappings: '' }]
]

for (const [behaviour, map] of UNREADABLE)
  t.test(`a frame does not change if its source map ${behaviour}`, async (t) => {
    t.same(resolve(t, map), { file: URL, line: 1, column: 1, inApp: true })
  })

const ODD: [behaviour: string, map: object, expected: object][] = [
  [
    'an index of a name out of range',
    { ...GOOD, mappings: encodeMappings([[[0, 0, 0, 0, 99]]]) },
    { file: 'client/a.ts' }
  ],
  ['sourcesContent that is no string', { ...GOOD, sourcesContent: [7] }, { file: 'client/a.ts', source: undefined }],
  ['sourcesContent that is no list', { ...GOOD, sourcesContent: 'a' }, { file: 'client/a.ts', source: undefined }],
  ['an invalid ignoreList', { ...GOOD, ignoreList: 'all' }, { inApp: true }],
  ['an ignoreList with invalid indexes', { ...GOOD, ignoreList: [-1, 2 ** 60, 0.5, null] }, { inApp: true }],
  ['invalid functions', { ...GOOD, x_hull_functions: 'a' }, { function: undefined }],
  [
    'functions with an incomplete range',
    { ...GOOD, x_hull_functions: [{ names: ['f'], ranges: [0, 0, 9] }] },
    { function: undefined }
  ],
  [
    'functions without a name',
    { ...GOOD, x_hull_functions: [{ names: [], ranges: [0, 0, 9, 9, 4] }] },
    { function: undefined }
  ],
  ['a sourceRoot outside of the project', { ...GOOD, sourceRoot: 'file:///etc' }, { file: 'client/a.ts' }],
  ['a source outside of the project', { ...GOOD, sources: ['../../../../../etc/passwd'] }, { file: 'etc/passwd' }],
  ['an absolute source', { ...GOOD, sources: ['/etc/passwd'] }, { file: 'dist/client/assets/etc/passwd' }],
  [
    'a source with a file URL',
    { ...GOOD, sources: ['file:///etc/passwd'] },
    { file: 'file:///etc/passwd', inApp: false }
  ],
  ['a source with a javascript URL', { ...GOOD, sources: ['javascript:alert(1)'] }, { inApp: false }],
  [
    'a source named like a prototype property',
    { ...GOOD, sources: ['__proto__'] },
    { file: 'dist/client/assets/__proto__' }
  ]
]

for (const [behaviour, map, expected] of ODD)
  t.test(`a source map can have ${behaviour}`, async (t) => {
    t.match(resolve(t, map), expected)
    t.notMatch(JSON.stringify(resolve(t, map).source ?? ''), 'root:')
  })

t.test('a very long line and a very long name are cut', async (t) => {
  const long = `${'x'.repeat(5_000)}HERE${'y'.repeat(100_000)}`
  const frame = resolve(t, {
    ...GOOD,
    sources: [`../../../client/${'n'.repeat(9_000)}.ts`],
    sourcesContent: [`${long}\r\n${long}`],
    mappings: encodeMappings([[[0, 0, 0, 5_000]]])
  })
  t.ok(frame.file.length <= 300)
  t.ok(frame.source!.line.length <= 400)
  t.match(frame.source!.line, 'HERE')
  t.ok(frame.source!.after[0]!.length <= 400)
})

t.test('invalid positions do not change a frame', async (t) => {
  for (const position of [-1, 0, 0.5, Number.NaN, Infinity, -Infinity, 2 ** 31, 2 ** 53, '1' as never, null as never]) {
    for (const rest of [{ line: position }, { column: position }]) {
      const frame = resolve(t, GOOD, rest)
      t.equal(frame.file, URL, JSON.stringify(rest))
      t.equal(frame.built, undefined)
    }
  }
})

t.test('does not look for invalid files', async (t) => {
  for (const file of [
    'data:text/javascript,throw 1',
    'blob:https://shop.example/assets/x-12345678.js',
    'javascript:void 0',
    'file:///assets/x-12345678.js',
    'webpack-internal:///assets/x-12345678.js',
    '<anonymous>',
    'https://shop.example/%',
    'https://shop.example/assets/../assets/x-12345678.js',
    `https://shop.example/${'a/'.repeat(500)}assets/x-12345678.js`,
    `https://shop.example/${'a'.repeat(5_000)}`,
    'https://',
    ''
  ])
    t.equal(resolve(t, GOOD, { file }).file, file)
})

t.test('many files in deep folders are searched with few statements', async (t) => {
  const store = openStore(t)
  const get = store.get.bind(store)
  let statements = 0
  store.get = (...query) => {
    statements++
    return get(...query)
  }
  const folders = 'a/'.repeat(30)
  const detail = toDetail([], { release: 'r1' })
  for (let file = 0; file < 500; file++)
    detail.exceptions.push({
      ...detail.exceptions[0]!,
      frames: [{ file: `https://shop.example/${folders}${file}-12345678.js`, line: 1, column: 1, inApp: true }]
    })
  createSymbolicator(store).resolve(detail, NONE)
  t.ok(statements > 0)
  t.ok(statements <= 400, `${statements}`)
})

t.test('damaged source maps in the store do not change frames', async (t) => {
  const store = openStore(t)
  const put = (body: Uint8Array) => {
    store.run('DELETE FROM source_map')
    store.run('INSERT INTO source_map (debug_id, size, body) VALUES (?, 1, ?)', 'a', body)
    return new MapCache(store).get('a', FILE)
  }
  t.equal(put(new Uint8Array(0)), undefined)
  t.equal(put(Buffer.from('no zstd at all')), undefined)
  t.equal(put(zstdCompressSync(Buffer.from(JSON.stringify(GOOD))).subarray(0, 30)), undefined)
  t.equal(put(zstdCompressSync(Buffer.alloc(64 * 1024 ** 2))), undefined, 'larger than its stated size')
  t.ok(put(zstdCompressSync(Buffer.from(JSON.stringify(GOOD)))))
})

t.test('the cache of parsed source maps is limited, and keeps those that were used last', async (t) => {
  const store = openStore(t)
  const body = Buffer.from(JSON.stringify(GOOD))
  for (const id of ['a', 'b', 'c'])
    store.run('INSERT INTO source_map (debug_id, size, body) VALUES (?, 1, ?)', id, zstdCompressSync(body))
  const { cost } = new ParsedMap(FILE, body)
  const cache = new MapCache(store, cost * 2)
  const a = cache.get('a', FILE)
  const b = cache.get('b', FILE)
  t.equal(cache.get('a', FILE), a)
  cache.get('c', FILE)
  t.equal(cache.bytes, cost * 2)
  t.equal(cache.get('a', FILE), a)
  t.not(cache.get('b', FILE), b, 'was evicted')
  const small = new MapCache(store, 10)
  t.equal(small.get('a', FILE), small.get('a', FILE), 'a source map larger than the limit is not parsed again')
  for (let at = 0; at < 5_000; at++) cache.get(`unknown ${at}`, FILE)
  t.ok(cache.bytes <= Math.max(cost * 2, 1_024), 'missing source maps count too')
})

t.test('no source map and no frame causes an exception', async (t) => {
  const anything = fc.oneof(fc.jsonValue(), fc.string(), fc.constant(undefined))
  const store: Store = openStore(t)
  fc.assert(
    fc.property(
      fc.record({
        version: fc.constant(3),
        names: fc.array(anything),
        sources: fc.array(fc.oneof(fc.string({ unit: 'binary' }), anything), { minLength: 1 }),
        sourcesContent: anything,
        ignoreList: anything,
        x_hull_functions: anything,
        mappings: fc.oneof(fc.string({ unit: fc.constantFrom(...'ABCDgikz09+/,;') }), fc.string({ unit: 'binary' }))
      }),
      fc.record({
        line: fc.oneof(fc.integer(), fc.double()),
        column: fc.oneof(fc.integer(), fc.double()),
        file: fc.constant(URL),
        inApp: fc.boolean()
      }),
      (map, frame) => {
        store.run('DELETE FROM source_map')
        store.run('DELETE FROM source_map_file')
        store.run('INSERT INTO source_map VALUES (?, 1, ?)', 'a', zstdCompressSync(Buffer.from(JSON.stringify(map))))
        store.run('INSERT INTO source_map_file VALUES (?, ?, ?, 1, 1)', FILE, 'r1', 'a')
        const detail = toDetail([frame, { ...frame, line: 1, column: 1 }], { release: 'r1' })
        createSymbolicator(store).resolve(detail, NONE)
        for (const { line, built } of detail.exceptions[0]!.frames) if (built && !(line! >= 1)) return false
        return true
      }
    ),
    { numRuns: 2_000 }
  )
})
