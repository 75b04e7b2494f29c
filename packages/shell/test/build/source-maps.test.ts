import { createHash } from 'node:crypto'
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import t from 'tap'
import { readBuild } from '../../src/server/build-id.ts'
import { MAP_LIST, type MapEntry } from '../../../common/src/source-map-list.ts'
import { finishBuild } from '../../src/build/finish.ts'
import { collectSourceMaps } from '../../src/build/source-maps.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { buildSite, type TestSite } from '@hull/test-helpers/site.ts'

const PAGES = join(import.meta.dirname, '../fixtures/thrown')

const site = await buildSite(PAGES)

const listOf = ({ dist }: TestSite) => JSON.parse(readFileSync(join(dist, 'maps', MAP_LIST), 'utf8')) as MapEntry[]

interface ServerMap {
  sources: string[]
  x_hull_functions: ({ names: string[] } | null)[]
}

const serverMaps = () =>
  globSync('server/**/*.map', { cwd: join(site.dist, 'maps') }).map(
    (file) => JSON.parse(readFileSync(join(site.dist, 'maps', file), 'utf8')) as ServerMap
  )

t.test('maps of server and browser are listed, and those of the browser are not in the public folder', async (t) => {
  const maps = join(site.dist, 'maps')
  const list = listOf(site)
  t.same(list.map(({ file }) => `${file}.map`).toSorted(), globSync('**/*.map', { cwd: maps }).toSorted())
  t.ok(list.some(({ file }) => file === 'server/index.js'))
  for (const { file, debugId, size, hash } of list) {
    t.match(debugId, /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    const map = readFileSync(join(maps, `${file}.map`))
    t.equal(map.length, size)
    const compressed = readFileSync(join(maps, `${file}.map.zst`))
    t.equal(createHash('sha256').update(compressed).digest('hex'), hash)
    t.ok(zstdDecompressSync(compressed).equals(map))
    const code = readFileSync(join(site.dist, file), 'utf8')
    t.equal(code.includes('sourceMappingURL'), file.startsWith('server/'), file)
  }
  t.same(globSync('**/*.map*', { cwd: join(site.dist, 'client') }), [])
})

t.test("maps have the names of the application's functions, and not those of packages", async (t) => {
  const functionsOf = (end: string) => {
    for (const map of serverMaps()) {
      const at = map.sources.findIndex((source) => source.endsWith(end))
      if (at >= 0) return map.x_hull_functions[at]
    }
  }
  t.same(functionsOf('client/pages/broken.tsx')?.names, ['countOf', 'getData', 'BrokenPage'])
  t.equal(functionsOf('cjs/react.production.js'), null)
})

t.test(
  "sources of Hull's packages are named as installed, and those of the application's packages are unchanged",
  async (t) => {
    const sources = serverMaps().flatMap(({ sources }) => sources)
    t.ok(sources.some((source) => source.includes('node_modules/@hull/shell/src/client/')))
    t.same(
      sources.filter((source) => /(^|[^@]\/)packages\/(common|shell)\//.test(source)),
      []
    )
  }
)

t.test('if lines move and the code is the same, file names stay, and the maps have other ids', async (t) => {
  const folder = createFolder(t)
  cpSync(PAGES, folder, { recursive: true })
  const page = join(folder, 'pages/receipt.tsx')
  writeFileSync(page, `\n\n${readFileSync(page, 'utf8')}`)
  const other = await buildSite(folder)
  t.teardown(() => rmSync(other.root, { recursive: true, force: true }))
  const isClient = ({ file }: MapEntry) => file.startsWith('client/')
  const before = new Map(listOf(site).map(({ file, debugId }) => [file, debugId]))
  const after = listOf(other).filter(isClient)
  t.same(
    after.map(({ file }) => file),
    listOf(site)
      .filter(isClient)
      .map(({ file }) => file)
  )
  const changed = after.filter(({ file, debugId }) => before.get(file) !== debugId)
  t.match(changed, [{ file: /^client\/assets\/receipt-/ }])
  t.equal(changed.length, 1)
})

t.test('a build removes the maps of the earlier build', async (t) => {
  const map = JSON.stringify({ version: 3, sources: [], names: [], mappings: '' })
  const dist = t.testdir({
    client: { assets: { 'new.js.map': map } },
    maps: { client: { assets: { 'old.js.map': map } } }
  })
  t.match(collectSourceMaps(dist), [{ file: 'client/assets/new.js' }])
  t.same(globSync('**/*.map', { cwd: dist }), [join('maps', 'client', 'assets', 'new.js.map')])
})

t.test('the id of a build depends on its maps', async (t) => {
  const idOf = async (line: string) => {
    const map = JSON.stringify({ version: 3, sources: [], names: [], mappings: line })
    const dist = t.testdir({
      client: { '.vite': { 'manifest.json': '{}' }, 'index.html': '', assets: { 'a.js.map': map } },
      server: { 'index.js': '' }
    })
    await finishBuild(dist, { compress: false, publicFolder: 'none', basePath: '', assetsUrl: undefined })
    return readBuild(dist).id
  }
  const id = await idOf('AAAA')
  t.not(await idOf(';AAAA'), id)
  t.equal(await idOf('AAAA'), id)
})
