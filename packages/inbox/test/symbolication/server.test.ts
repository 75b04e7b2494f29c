import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readBuild } from '../../../shell/src/server/build-id.ts'
import type { Frame } from '../../src/store/model.ts'
import { importMaps } from '../../src/symbolication/import.ts'
import { createSymbolicator } from '../../src/symbolication/symbolicator.ts'
import { originOfFile } from '../../src/symbolication/origin.ts'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { createCollector } from '@hull/test-helpers/collector.ts'
import { buildSite } from '@hull/test-helpers/site.ts'
import { fromEvent, openStore } from '@hull/test-helpers/source-maps.ts'

// tap makes Node resolve stacks itself. A server does not.
process.setSourceMapsEnabled(false)

const PROJECT = join(import.meta.dirname, '../../../..')
const PAGES = join(PROJECT, 'packages/shell/test/fixtures/thrown')

const site = await buildSite(PAGES)
const release = readBuild(site.dist).id

/** Number of the line of a page that ends with this comment. */
const lineOf = (comment: string) =>
  readFileSync(join(PAGES, 'pages/broken.tsx'), 'utf8')
    .split('\n')
    .findIndex((line) => line.endsWith(`// ${comment}`)) + 1

/** Returns the resolved frames of an error on the server. */
async function framesOf(test: Parameters<typeof createTestApp>[0] & Parameters<typeof openStore>[0], url: string) {
  const collector = createCollector()
  const { app, logs } = await createTestApp(test, { site, telemetryTo: collector.to })
  await app.inject({ url })
  await app.close()
  logs.takeErrors()
  const store = openStore(test)
  importMaps(store, { folder: join(site.dist, 'maps'), release, now: 1 })
  const detail = fromEvent(collector.errors[0]!)
  const count = createSymbolicator(store, { root: PROJECT, release }).resolve(detail, new Map())
  return { frames: detail.exceptions[0]!.frames, count }
}

const withoutLine = ({ file, function: name, inApp }: Frame) => ({ file, function: name, inApp })

t.test('an error in server rendering has its line in the page, and React frames have files of React', async (t) => {
  const { frames, count } = await framesOf(t, '/broken')
  t.match(frames[0], {
    file: 'client/pages/broken.tsx',
    function: 'countOf',
    line: lineOf('in render'),
    inApp: true,
    source: { line: '  return rows!.length // in render' }
  })
  t.same(withoutLine(frames[1]!), { file: 'client/pages/broken.tsx', function: 'BrokenPage', inApp: true })
  const react = frames.find(({ file }) => file.includes('react-dom'))!
  t.match(react, { inApp: false, package: 'react-dom', file: /^node_modules\/react-dom\/cjs\/react-dom-server/ })
  t.match(react.function, /^[a-z]\w{4,}/i)
  t.equal(count.unresolved, 0)
  t.ok(count.own >= 2)
})

t.test('an error in getData has its line in the page, and then files and lines of the server', async (t) => {
  const { frames } = await framesOf(t, '/broken?data=no')
  t.match(frames[0], {
    file: 'client/pages/broken.tsx',
    function: 'getData',
    line: lineOf('in getData'),
    source: { line: "  if (search.get('data') === 'no') throw new Error('thrown in getData') // in getData" }
  })
  const shell = frames.filter(({ file }) => file.startsWith('packages/'))
  t.ok(shell.length > 0)
  for (const { file, line, inApp, source, ...frame } of shell) {
    t.equal(inApp, false)
    t.equal(frame.package, `@hull/${file.split('/')[1]}`)
    t.equal(source?.line, readFileSync(join(PROJECT, file), 'utf8').split('\n')[line! - 1])
  }
})

t.test(
  'files of the packages of Hull are recognised, as workspaces and installed, and other files belong to the application',
  async (t) => {
    for (const name of ['common', 'shell', 'monitoring', 'inbox']) {
      const path = `packages/${name}/src/index.ts`
      t.match(originOfFile(path, { at: join(PROJECT, path) }), { file: path, inApp: false, package: `@hull/${name}` })
      t.match(
        originOfFile(path, { at: join('/srv/shop', path) }),
        { file: path, inApp: true },
        'a package of the application'
      )
      t.match(originOfFile(`../../node_modules/@hull/${name}/dist/index.js`), {
        inApp: false,
        package: `@hull/${name}`
      })
    }
    for (const file of ['server.ts', 'plugins/orders.ts', 'routes/lab.ts', 'packages/orders/src/index.ts'])
      t.match(originOfFile(file), { file, inApp: true })
  }
)
