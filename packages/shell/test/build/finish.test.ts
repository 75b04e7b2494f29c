import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import assets from '../../src/plugins/assets.ts'
import { finishBuild } from '../../src/build/finish.ts'

/** Smallest window size of a zstd frame (RFC 8878, 3.1.1.1.2), in bytes. */
const SMALLEST_WINDOW = 1_024

const PLACE = { publicFolder: 'none', basePath: '', assetsUrl: undefined }

const TYPES = {
  'a.wasm': 'application/wasm',
  'a.ttf': 'font/ttf',
  'a.mjs': 'text/javascript; charset=utf-8',
  'a.geojson': 'application/geo+json; charset=utf-8',
  'a.ico': 'image/vnd.microsoft.icon'
}

const toBuild = (assets: Record<string, string>) => ({
  client: { '.vite': { 'manifest.json': '{}' }, 'index.html': '', assets },
  server: { 'index.js': '' }
})

const finish = async (t: Test, assets: Record<string, string>) => {
  const dist = t.testdir(toBuild(assets))
  await finishBuild(dist, { compress: true, ...PLACE })
  return (name: string) => readFileSync(join(dist, 'client/assets', name))
}

/** Bytes of memory that the decoder of a zstd frame needs: its window, or its content if the frame is one segment. */
function windowOf(frame: Buffer): number {
  const descriptor = frame.readUInt8(4)
  if ((descriptor & 0b10_0000) === 0) {
    const window = frame.readUInt8(5)
    return (SMALLEST_WINDOW << (window >> 3)) * (1 + (window & 7) / 8)
  }
  // RFC 8878, 3.1.1.1.4: the size of content of up to 255 bytes has one byte.
  const size = descriptor >> 6
  return size === 0 ? frame.readUInt8(5) : size === 1 ? frame.readUInt16LE(5) + 256 : frame.readUInt32LE(5)
}

t.test('a compressed copy in each encoding has the content of its asset', async (t) => {
  const text = 'export const a = 1\n'.repeat(1_000)
  const read = await finish(t, { 'a.js': text })
  for (const [ending, decode] of [
    ['.br', brotliDecompressSync],
    ['.zst', zstdDecompressSync],
    ['.gz', gunzipSync]
  ] as const)
    t.equal(decode(read(`a.js${ending}`)).toString(), text, ending)
})

t.test('WebAssembly, fonts without compression, and other texts have compressed copies', async (t) => {
  const dist = t.testdir(toBuild(Object.fromEntries(Object.keys(TYPES).map((name) => [name, 'text '.repeat(500)]))))
  await finishBuild(dist, { compress: true, ...PLACE })
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(assets, { folder: join(dist, 'client') })
  for (const [name, type] of Object.entries(TYPES)) {
    const { headers } = await app.inject({ url: `/assets/${name}`, headers: { 'accept-encoding': 'br' } })
    t.same([headers['content-encoding'], headers['content-type']], ['br', type], name)
  }
})

t.test('the decoder of a zstd copy needs no more memory than the size of the asset', async (t) => {
  for (const lines of [100, 1_000, 10_000]) {
    const text = 'export const a = 1\n'.repeat(lines)
    const read = await finish(t, { 'a.js': text })
    t.ok(windowOf(read('a.js.zst')) <= text.length, `${lines} lines`)
  }
})

t.test('refuses public files whose name cannot be in a URL', async (t) => {
  const dist = t.testdir({ client: { 'a#b.txt': '', why: { 'so?.txt': '' }, '*': '', 'a:b (c).txt': '' } })
  await t.rejects(finishBuild(dist, { compress: false, ...PLACE }), {
    message: /^(client\/public\/(a#b\.txt|why\/so\?\.txt|\*): rename it, without #, \? and \*\n?){3}$/
  })
})

t.test('leaves out maps of public files that cannot be parsed', async (t) => {
  const one = { 'index.js': '', 'index.js.map': JSON.stringify({ version: 3, sources: [], mappings: '' }) }
  const dist = t.testdir({
    client: {
      '.vite': { 'manifest.json': '{}' },
      'index.html': '',
      vendor: { 'a.js.map': '{ "version": 3, "sections": [] }', 'b.js.map': '', 'c.js.map': 'null' }
    },
    server: one
  })
  await finishBuild(dist, { compress: false, ...PLACE })
  const list = JSON.parse(readFileSync(join(dist, 'maps/index.json'), 'utf8')) as Array<{ file: string }>
  t.same(
    list.map(({ file }) => file),
    ['server/index.js']
  )
})

t.test("public files in the folder of the build's assets are cached for one hour", async (t) => {
  const folder = t.testdir({
    dist: toBuild({ 'index-Ab3_9xYz.js': '', 'logo.svg': '', LICENSE: '' }),
    public: { assets: { 'logo.svg': '', LICENSE: '' }, 'robots.txt': '' }
  })
  const dist = join(folder, 'dist')
  await finishBuild(dist, { ...PLACE, compress: false, publicFolder: join(folder, 'public') })
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(assets, { folder: join(dist, 'client') })
  const cacheOf = async (url: string) => (await app.inject(url)).headers['cache-control']
  t.equal(await cacheOf('/assets/logo.svg'), 'public, max-age=3600')
  t.equal(await cacheOf('/assets/LICENSE'), 'public, max-age=3600')
  t.equal(await cacheOf('/assets/index-Ab3_9xYz.js'), 'public, max-age=31536000, immutable')
})
