import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { bareNode } from '@hull/test-helpers/bare-node.ts'
import { copyProject } from '@hull/test-helpers/commands.ts'
import { runChild } from '../child.js'

/** Blocks its process, so that only tap can end it. Its limit is a tenth of a second. */
const HANGS = `import t from 'tap'
t.setTimeout(100)
t.test('hangs', async () => {
  await new Promise((resolve) => setTimeout(resolve, 1))
  for (;;);
})`

const PASSES = `import t from 'tap'
t.pass('it runs')`

const FILES = { 'a.test.ts': HANGS, 'b.test.ts': PASSES, 'c.test.ts': PASSES }

t.test('a test file that hangs fails, and all others run', async (t) => {
  // A copy, because tap removes the files that another run in the same folder writes about its processes.
  const root = copyProject(t)
  mkdirSync(join(root, 'test/hanging'))
  for (const [name, code] of Object.entries(FILES)) writeFileSync(join(root, 'test/hanging', name), code)
  const { PATH, HOME } = process.env
  const { output, code } = await runChild('env', bareNode('scripts/run.js', 'test', 'test/hanging'), {
    cwd: root,
    env: { PATH, HOME },
    capture: true
  })
  t.equal(code, 1, output)
  for (const [name, code] of Object.entries(FILES))
    t.match(output, `${code === HANGS ? 'FAILED' : 'ok'}  test/hanging/${name}`)
  t.match(output, /\n2 passed, [1-9]\d* failed\n$/)
})
