import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { addFigures } from '../../src/store/rollups.ts'
import { askMaps, askFrameFigures } from '../../src/symbolication/figures.ts'
import { importMaps } from '../../src/symbolication/import.ts'
import { pruneMaps } from '../../src/symbolication/prune.ts'
import { createSymbolicator } from '../../src/symbolication/symbolicator.ts'
import { removeOldest } from '../../src/symbolication/prune.ts'
import type { Store } from '../../src/store/store.ts'
import { MAP_LIST } from '../../../common/src/source-map-list.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { encodeMappings, openStore, toDetail, writeMaps } from '@hull/test-helpers/source-maps.ts'

const NONE = new Map<string, string>()
const FILE = 'client/assets/cart-Cqq41uWn.js'

/** A source map of one line of code, generated from one line of a file. */
const mapTo = (line: number, rest: object = {}) => ({
  version: 3,
  names: [],
  sources: ['../../../client/cart.tsx'],
  sourcesContent: ['\n'.repeat(100)],
  mappings: encodeMappings([[[0, 0, line - 1, 0]]]),
  x_hull_functions: [{ names: ['Cart'], ranges: [0, 0, 99, 0, 0] }],
  ...rest
})

function lineIn(store: Store, release: string | undefined, file = FILE) {
  const detail = toDetail([{ file: `https://shop.example/${file.slice('client/'.length)}`, line: 1, column: 1 }], {
    release
  })
  createSymbolicator(store, { now: () => 50 }).resolve(detail, NONE)
  const [frame] = detail.exceptions[0]!.frames
  return frame!.built && frame!.line
}

/** Imports another build. */
function deploy(t: Test, store: Store, release: string, maps: Record<string, object | string>, now = 1) {
  const folder = createFolder(t)
  writeMaps(folder, maps)
  return { folder, ...importMaps(store, { folder, release, now }) }
}

t.test('a build is imported once, and then recognised without reading its source maps', async (t) => {
  const store = openStore(t)
  const { folder, imported, known, refused } = deploy(t, store, 'r1', { [FILE]: mapTo(1), 'server/index.js': mapTo(2) })
  t.same({ imported, known, refused }, { imported: 2, known: 0, refused: [] })
  rmSync(join(folder, FILE + '.map.zst'))
  utimesSync(join(folder, 'server/index.js.map.zst'), 1, 1)
  t.same(importMaps(store, { folder, release: 'r1', now: 2 }), { imported: 0, known: 2, refused: [] })
  t.equal(lineIn(store, 'r1'), 1)
})

t.test('each release of the same code resolves to its own lines', async (t) => {
  const store = openStore(t)
  deploy(t, store, 'r1', { [FILE]: mapTo(1) })
  deploy(t, store, 'r2', { [FILE]: mapTo(7) }, 2)
  const { imported } = deploy(t, store, 'r3', { [FILE]: mapTo(1) }, 3)
  t.equal(imported, 0, 'the same source map is not stored twice')
  t.equal(lineIn(store, 'r1'), 1, 'a tab that was opened before')
  t.equal(lineIn(store, 'r2'), 7)
  t.equal(lineIn(store, 'r3'), 1, 'the lines of the first release')
  t.equal(lineIn(store, undefined), 1, 'the newest release, if the event has none')
  t.equal(lineIn(store, 'r0'), 1)
})

t.test('a build with the release of a previous build replaces it', async (t) => {
  const store = openStore(t)
  deploy(t, store, '1.0', { [FILE]: mapTo(1) })
  deploy(t, store, '1.0', { [FILE]: mapTo(7) })
  t.equal(lineIn(store, '1.0'), 7)
  t.equal(askMaps(store)().maps, 1, 'the source map of the previous build is deleted')
})

t.test('nothing is imported without a list, or with an invalid list', async (t) => {
  const store = openStore(t)
  const folder = createFolder(t)
  t.same(importMaps(store, { folder: join(folder, 'gone'), release: 'r1', now: 1 }), {
    imported: 0,
    known: 0,
    refused: []
  })
  for (const text of ['', '{', '{}', 'null', '[null, 1, "a", {}, {"file": "client/x.js"}]', '\0'.repeat(100)]) {
    writeFileSync(join(folder, MAP_LIST), text)
    t.same(importMaps(store, { folder, release: 'r1', now: 1 }), { imported: 0, known: 0, refused: [] }, text)
  }
})

t.test('an entry of the list with an invalid size is left out', async (t) => {
  const store = openStore(t)
  const folder = createFolder(t)
  const [entry] = writeMaps(folder, { [FILE]: mapTo(1) })
  for (const size of [-1, 1.5, 1e300, null, '9']) {
    writeFileSync(join(folder, MAP_LIST), JSON.stringify([{ ...entry, size }]))
    t.same(importMaps(store, { folder, release: 'r1', now: 1 }), { imported: 0, known: 0, refused: [] }, String(size))
  }
})

t.test('paths outside of the folder are ignored', async (t) => {
  const store = openStore(t)
  const folder = createFolder(t)
  const [entry] = writeMaps(folder, { [FILE]: mapTo(1) })
  for (const file of ['../../etc/passwd', `client/../../${FILE}`, '/etc/passwd', 'elsewhere/x.js']) {
    writeFileSync(join(folder, MAP_LIST), JSON.stringify([{ ...entry, file }]))
    t.same(importMaps(store, { folder, release: 'r1', now: 1 }), { imported: 0, known: 0, refused: [] }, file)
  }
})

t.test('a map that is missing, cut, longer, changed or too large is refused, and others are imported', async (t) => {
  const store = openStore(t)
  const folder = createFolder(t)
  const names = ['gone', 'cut', 'longer', 'changed', 'large', 'good']
  const list = writeMaps(folder, Object.fromEntries(names.map((name, at) => [`client/${name}.js`, mapTo(at + 1)])))
  const change = (name: string, to: (body: Buffer) => Uint8Array) => {
    const path = join(folder, `client/${name}.js.map.zst`)
    writeFileSync(path, to(readFileSync(path)))
  }
  rmSync(join(folder, 'client/gone.js.map.zst'))
  change('cut', (body) => body.subarray(0, 40))
  change('longer', (body) => Buffer.concat([body, body]))
  change('changed', () => zstdCompressSync(JSON.stringify(mapTo(9))))
  writeFileSync(
    join(folder, MAP_LIST),
    JSON.stringify(list.map((entry) => (entry.file.includes('large') ? { ...entry, size: 2 ** 30 } : entry)))
  )
  const { imported, refused } = importMaps(store, { folder, release: 'r1', now: 1 })
  t.equal(imported, 1)
  t.same(
    refused.map(({ file }) => file),
    ['client/gone.js', 'client/cut.js', 'client/longer.js', 'client/changed.js', 'client/large.js']
  )
})

t.test('source maps are deleted with their release, unless it runs, was used, or has recent events', async (t) => {
  const store = openStore(t)
  const day = 86_400_000
  for (const [at, release] of ['old', 'seen', 'used', 'running'].entries())
    deploy(t, store, release, { [FILE]: mapTo(at + 1) }, at + 1)
  store.run(`INSERT INTO release (project, version, first_seen, last_seen) VALUES (1, 'seen', 1, ?)`, 100 * day)
  const symbolicator = createSymbolicator(store, { now: () => 100 * day })
  symbolicator.resolve(
    toDetail([{ file: 'https://shop.example/assets/cart-Cqq41uWn.js', line: 1, column: 1 }], { release: 'used' }),
    NONE
  )
  t.equal(pruneMaps(store, 90 * day), 1)
  t.equal(pruneMaps(store, 90 * day), 0)
  t.same(
    store
      .all<{ release: string }>('SELECT release FROM source_map_file ORDER BY release')
      .map(({ release }) => release),
    ['running', 'seen', 'used']
  )
  t.equal(askMaps(store)().maps, 3)
  t.equal(pruneMaps(store, 200 * day), 2, 'finally all releases except the running one')
  t.equal(lineIn(store, 'running'), 4)
})

t.test('a source map of two releases is kept for the remaining one', async (t) => {
  const store = openStore(t)
  deploy(t, store, 'r1', { [FILE]: mapTo(1) }, 1)
  deploy(t, store, 'r2', { [FILE]: mapTo(1) }, 100)
  t.equal(pruneMaps(store, 50), 1)
  t.equal(lineIn(store, 'r2'), 1)
})

t.test('above the limit, the least recently used release is deleted first, the running one never', async (t) => {
  const store = openStore(t)
  for (const [at, release] of ['r1', 'r2', 'r3'].entries()) deploy(t, store, release, { [FILE]: mapTo(at + 1) }, at + 1)
  store.run(`UPDATE source_map_file SET last_used = 10 WHERE release = 'r1'`)
  const { bytes } = askMaps(store)()
  removeOldest(store, bytes - 1)
  t.same(
    ['r1', 'r2', 'r3'].map(
      (release) => store.get('SELECT 1 FROM source_map_file WHERE release = ?', release) !== undefined
    ),
    [true, false, true]
  )
  removeOldest(store, 0)
  t.equal(askMaps(store)().releases, 1)
  t.equal(lineIn(store, 'r3'), 3)
})

t.test('counts imported source maps, with a sample position that is resolved', async (t) => {
  const store = openStore(t)
  t.same(askMaps(store)(), { maps: 0, releases: 0, bytes: 0 })
  deploy(t, store, 'r1', { [FILE]: mapTo(3), 'client/broken.js': '{' })
  const { maps, releases, bytes, sample } = askMaps(store)()
  t.same(
    { maps, releases, sample },
    { maps: 2, releases: 1, sample: { file: 'client/cart.tsx', function: 'Cart', line: 3 } }
  )
  t.ok(bytes > 0)
})

t.test('in-app frames are counted by hour', async (t) => {
  const store = openStore(t)
  store.run(`INSERT INTO project (id, name, key, created) VALUES (1, 'a', 'a', 0), (2, 'b', 'b', 0)`)
  const where = { project: 1, hour: 10, environment: 'tests', release: 0 }
  addFigures(store, [{ place: where, name: 'frames', quantity: 3 }])
  addFigures(store, [{ place: where, name: 'frames_unresolved', quantity: 1 }])
  addFigures(store, [{ place: where, name: 'frames', quantity: 2 }])
  addFigures(store, [{ place: { ...where, hour: 9 }, name: 'frames', quantity: 7 }])
  addFigures(store, [{ place: { ...where, hour: 9 }, name: 'frames_unresolved', quantity: 7 }])
  addFigures(store, [{ place: { ...where, project: 2, release: 4 }, name: 'frames', quantity: 1 }])
  addFigures(store, [{ place: { ...where, project: 2, release: 4 }, name: 'frames_unresolved', quantity: 1 }])
  t.same(askFrameFigures(store, { project: 1, sinceHour: 10 })(), { frames: 1, of: 5 })
  t.same(askFrameFigures(store, { sinceHour: 10 })(), { frames: 2, of: 6 })
  t.same(askFrameFigures(store, { sinceHour: 11 })(), { frames: 0, of: 0 })
})
