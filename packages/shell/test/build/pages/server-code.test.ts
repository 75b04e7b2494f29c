import { globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { BROWSER_ERROR_EVENT, CHANGE_EVENT, OVERLAY_EVENT, SERVER_ERROR_EVENT } from '@hull/common/constants.ts'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const PROJECT = join(import.meta.dirname, '../../../../..')

/** Markers in guard, getData, getMeta and action of the fixture, and in modules that only these import. */
const MARKER = /marker-of-[a-z-]+-[a-z]{2}\d\d/g

/** One phrase from each server module of the lab. */
const LAB = [
  'Snap hook',
  'Sets the tension of a stay.',
  'Write the amount in digits',
  'one object, referred to twice',
  'Two seasons on a mooring',
  'the shed by the slipway',
  'lab/stream was asked to fail'
]

/** Code that only the server needs. */
const SERVER_ONLY = ['"node:', "'node:", '`node:', 'fastify', 'process.env', 'renderToString', 'createServer']

/** Events of the code that shows errors and changes in development. */
const DEVELOPMENT = [BROWSER_ERROR_EVENT, CHANGE_EVENT, OVERLAY_EVENT, SERVER_ERROR_EVENT]

const readAll = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((file) => statSync(file).isFile())
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }))

t.test('files for the browser have no code of guard, getData, getMeta and action', async (t) => {
  const { dist } = await buildFixtureSite()
  const source = globSync('packages/shell/test/fixtures/site/pages/marked/*', { cwd: PROJECT }).map((path) =>
    readFileSync(join(PROJECT, path), 'utf8')
  )
  const markers = [...new Set(source.join().match(MARKER))]
  t.equal(markers.length, 9)
  const server = readAll(join(dist, 'server'))
  t.same(
    markers.filter((marker) => !server.some(({ text }) => text.includes(marker))),
    [],
    'the server has all markers'
  )
  const files = readAll(join(dist, 'client'))
  t.ok(files.length > 50)
  t.ok(
    files.some(({ text }) => text.includes('stays-with-the-component-ua29')),
    'the component is in the bundle'
  )
  for (const { file, text } of files) t.same(text.match(MARKER), null, file)
})

t.test(
  "files for the browser have no code of the lab's server modules, of the server, or of development",
  async (t) => {
    const dist = join(PROJECT, 'dist')
    const server = readAll(join(dist, 'server'))
    t.same(
      LAB.filter((phrase) => !server.some(({ text }) => text.includes(phrase))),
      [],
      'the server has all phrases'
    )
    for (const { file, text } of readAll(join(dist, 'client')))
      t.same(
        [...LAB, ...SERVER_ONLY, ...DEVELOPMENT].filter((phrase) => text.includes(phrase)),
        [],
        file
      )
  }
)

t.test('source maps are outside of the served folders', async (t) => {
  const site = await buildFixtureSite()
  const maps = readAll(join(site.dist, 'maps'))
  t.ok(maps.some(({ text }) => text.includes('stays-with-the-component-ua29')))
  const { app } = await createTestApp(t, { site })
  for (const { file } of maps.slice(0, 5)) {
    const path = file.slice(join(site.dist, 'maps').length)
    for (const url of [path, `/maps${path}`, `/..${path}`, `/assets/../../maps${path}`])
      t.equal((await app.inject(url)).statusCode, 404, url)
  }
  for (const { file, text } of readAll(join(site.dist, 'client'))) t.notMatch(text, /sourceMappingURL/, file)
})
