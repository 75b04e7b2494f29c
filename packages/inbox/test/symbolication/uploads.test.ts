import t, { type Test } from 'tap'
import { encodeMappings, openStore, toDetail } from '@hull/test-helpers/source-maps.ts'
import { zstdCompressSync } from 'node:zlib'
import { addChunk, addUploadedMap, removeOldChunks } from '../../src/mutations/uploads.ts'
import { listChunks } from '../../src/queries/uploads.ts'
import type { Store } from '../../src/store/store.ts'
import { askMaps } from '../../src/symbolication/figures.ts'
import { pruneMaps, removeOldest } from '../../src/symbolication/prune.ts'
import { createSymbolicator } from '../../src/symbolication/symbolicator.ts'

const HOUR = 3_600_000
const DEBUG_ID = '11111111-2222-4333-8444-555555555555'
const URL = 'https://shop.example/assets/cart.js'

function upload(
  store: Store,
  release: string,
  { at = 1, file = 'assets/cart.js', source = '../src/cart.ts', project = 1 } = {}
) {
  const map = { version: 3, names: [], sources: [source], mappings: encodeMappings([[[0, 0, 4, 0]]]), file: release }
  const body = Buffer.from(JSON.stringify(map))
  addUploadedMap(store, {
    projects: [project],
    release,
    debugId: DEBUG_ID,
    file,
    map: `sha256:${release}${source}`,
    size: body.length,
    body: zstdCompressSync(body),
    at,
    prunes: true
  })
}

/** Returns the frame of an event in project 1. */
function frameIn(store: Store, { now = 1, release }: { now?: number; release?: string } = {}) {
  const detail = toDetail([{ file: URL, line: 1, column: 1 }], { release })
  const debugIds = new Map(release === undefined ? [[URL, DEBUG_ID.toUpperCase()]] : [])
  createSymbolicator(store, { now: () => now }).resolve(detail, debugIds)
  return detail.exceptions[0]!.frames[0]!
}

const open = (t: Test) => {
  const store = openStore(t)
  upload(store, '1.0')
  return store
}

t.test('source maps are kept while they or their release are used', async (t) => {
  const store = open(t)
  t.equal(frameIn(store, { now: 10 * HOUR }).line, 5)
  t.equal(pruneMaps(store, 5 * HOUR), 0, 'used since then')
  store.run("INSERT INTO release (project, version, first_seen, last_seen) VALUES (1, '1.0', 1, ?)", 30 * HOUR)
  t.equal(pruneMaps(store, 20 * HOUR), 0, 'the release has recent events')
  store.run('UPDATE release SET project = 2')
  t.equal(pruneMaps(store, 20 * HOUR), 1, 'the release of another project')
  t.match(askMaps(store)(), { maps: 0, releases: 0 })
})

t.test('above the limit, source maps of the least recently used releases are deleted', async (t) => {
  const store = open(t)
  upload(store, '2.0', { at: 2 })
  t.match(askMaps(store)(), { maps: 2, releases: 2 })
  removeOldest(store, askMaps(store)().bytes - 1)
  t.equal(frameIn(store, { release: '1.0' }).built, undefined)
  t.equal(frameIn(store, { release: '2.0' }).line, 5)
})

t.test('above the limit, source maps without a release are deleted one by one', async (t) => {
  const store = openStore(t)
  for (let at = 1; at <= 4; at++) upload(store, '', { at, file: `assets/${at}.js`, source: `../src/${at}.ts` })
  removeOldest(store, askMaps(store)().bytes - 1)
  const left = store.all<{ file: string }>('SELECT file FROM uploaded_map ORDER BY file')
  t.same(
    left.map(({ file }) => file),
    ['assets/2.js', 'assets/3.js', 'assets/4.js']
  )
})

t.test('source maps use at most a quarter of the store', async (t) => {
  const store = open(t)
  const { bytes } = askMaps(store)()
  const bound = (maxBytes: number) =>
    store.run("INSERT OR REPLACE INTO setting (name, value) VALUES ('max_bytes', ?)", String(maxBytes))
  for (const [maxBytes, left] of [
    [0, 3],
    [14 * bytes, 3],
    [8 * bytes, 2]
  ]) {
    bound(maxBytes!)
    upload(store, '2.0', { at: 2 })
    upload(store, '3.0', { at: 3 })
    t.equal(askMaps(store)().maps, left)
  }
})

t.test('uploads to one project do not delete the source maps of a smaller one', async (t) => {
  const store = open(t)
  const { bytes } = askMaps(store)()
  for (let release = 1; release <= 5; release++) {
    upload(store, `2.${release}`, { project: 2, at: 1 + release })
    removeOldest(store, 3.5 * bytes)
  }
  const stored = store.all<{ release: string }>('SELECT release FROM uploaded_map ORDER BY release')
  t.same(
    stored.map(({ release }) => release),
    ['1.0', '2.4', '2.5']
  )
})

t.test('names of sources do not contain the folder of the build', async (t) => {
  for (const [source, file, inApp] of [
    ['../../../src/cart.ts', 'src/cart.ts', true],
    ['src/cart.ts', 'src/cart.ts', true],
    ['webpack://shop/./src/cart.ts?3f9c', 'src/cart.ts', true],
    ['turbopack:///[project]/app/items/[slug]/page.jsx', 'app/items/[slug]/page.jsx', true],
    [
      'turbopack:///[project]/node_modules/next/src/client/app-index.tsx',
      'node_modules/next/src/client/app-index.tsx',
      false
    ],
    ['webpack://shop/webpack/bootstrap', 'webpack/bootstrap', false],
    ['webpack://shop/./node_modules/react/index.js', 'node_modules/react/index.js', false],
    ['https://cdn.example/lib.js', 'https://cdn.example/lib.js', false]
  ] as const) {
    const store = openStore(t)
    upload(store, '1.0', { source })
    t.match(frameIn(store), { file, inApp, line: 5 })
  }
})

t.test('chunks of unfinished bundles are deleted after an hour', async (t) => {
  const store = openStore(t)
  for (const at of [1, HOUR]) addChunk(store, { sha1: String(at), body: Buffer.from('x'), maxBytes: 10, at })
  removeOldChunks(store, HOUR + 2)
  t.same(listChunks(store, { sha1s: ['1', String(HOUR)] }), { [HOUR]: 1 })
})
