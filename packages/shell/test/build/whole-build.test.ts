import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createBuilder } from 'vite'
import { hull } from '../../src/build/hull.ts'
import { readBuild } from '../../src/server/build-id.ts'

const CLIENT = join(import.meta.dirname, '../../../../client')
const PAGE = 'export default () => <p>page</p>\n'

/** Creates a small application. @returns its `dist`, and a function that builds it with the code of its only page */
function createProject(t: Test) {
  const root = t.testdir({ 'package.json': '{ "type": "module" }', plugins: { 'rope.ts': 'export const rope = 1' } })
  for (const name of ['index.html', 'styles'])
    cpSync(join(CLIENT, name), join(root, 'client', name), { recursive: true })
  mkdirSync(join(root, 'client/pages'))
  mkdirSync(join(root, 'client/public/html'), { recursive: true })
  writeFileSync(join(root, 'client/public/html/terms.html'), '')
  const build = async (code: string) => {
    writeFileSync(join(root, 'client/pages/index.tsx'), code)
    const plugins = [hull({ root, compress: false })]
    await (await createBuilder({ plugins, configFile: false, logLevel: 'silent', mode: 'production' })).buildApp()
  }
  return { dist: join(root, 'dist'), build }
}

t.test('a build has the public files, and no HTML template for each page', async (t) => {
  const { dist, build } = createProject(t)
  await build(PAGE)
  t.same(readdirSync(join(dist, 'client/html')), ['terms.html'])
})

t.test('a build whose server half fails does not count as finished', async (t) => {
  const { dist, build } = createProject(t)
  await build(PAGE)
  t.match(readBuild(dist).id, /^[\da-f]{12}$/)
  // Only the server half has getData.
  await t.rejects(
    build(`import { sail } from '../../plugins/rope.ts'\nexport const getData = () => sail\n${PAGE}`),
    /"sail" is not exported/
  )
  t.throws(() => readBuild(dist), /There is no finished build in .*: run "npm run build"/)
})
