import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createBuilder } from 'vite'
import { hull } from '../../src/build/hull.ts'
import { readBuild } from '../../src/server/build-id.ts'

const CLIENT = join(import.meta.dirname, '../../../../client')
const PAGE = 'export default () => <p>page</p>\n'

t.test('a build whose second half fails is not taken for a finished one', async (t) => {
  const root = t.testdir({ 'package.json': '{ "type": "module" }', plugins: { 'rope.ts': 'export const rope = 1' } })
  for (const name of ['index.html', 'styles'])
    cpSync(join(CLIENT, name), join(root, 'client', name), { recursive: true })
  mkdirSync(join(root, 'client/pages'))
  const build = async (code: string) => {
    writeFileSync(join(root, 'client/pages/index.tsx'), code)
    const plugins = [hull({ root, compress: false })]
    await (await createBuilder({ plugins, configFile: false, logLevel: 'silent', mode: 'production' })).buildApp()
  }
  await build(PAGE)
  t.match(readBuild(join(root, 'dist')).id, /^[\da-f]{12}$/)
  // Only the server's half has getData.
  await t.rejects(
    build(`import { sail } from '../../plugins/rope.ts'\nexport const getData = () => sail\n${PAGE}`),
    /"sail" is not exported/
  )
  t.throws(() => readBuild(join(root, 'dist')), /There is no finished build in .*: run "npm run build"/)
})
