import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { bareEnv, bareNode } from '@hull/test-helpers/bare-node.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { runChild } from '../../../../scripts/child.js'

const COMMAND = join(import.meta.dirname, '../../src/commands/types.ts')
const PAGE = 'export default () => null\n'

t.test('hull-types writes the paths of the pages without a build, and reports problems of pages', async (t) => {
  const root = createFolder(t, {
    'package.json': '{"type":"module"}',
    'vite.config.ts': `import { hull } from '@hull/shell/vite'\nexport default { plugins: [hull({ root: import.meta.dirname })] }\n`
  })
  const addPage = (name: string, code: string) => writeFileSync(join(root, 'client/pages', name), code)
  const run = () => runChild('env', bareNode(COMMAND), { cwd: root, env: bareEnv(), capture: true })
  mkdirSync(join(root, 'client/pages'), { recursive: true })
  addPage('index.tsx', PAGE)
  t.match(await run(), { code: 0, output: '' })
  const paths = () => readFileSync(join(root, '.hull/types/hrefs.ts'), 'utf8').match(/'\/\w*'/g)
  t.same(paths(), [`'/'`])
  addPage('about.tsx', PAGE)
  t.match(await run(), { code: 0, output: '' })
  t.same(paths(), [`'/about'`, `'/'`])
  addPage('wrong.tsx', `export const getdata = () => 1\n${PAGE}`)
  const { code, output } = await run()
  t.equal(code, 1)
  t.match(output, 'client/pages/wrong.tsx: "getdata" is not something a page exports; did you mean "getData"?')
  t.notMatch(output, /\n +at /, 'the output has no stack trace')
})
