import { join } from 'node:path'
import t from 'tap'
import { runChild } from '../../../scripts/child.js'

/*
 * An unexpected error fails the test during which it happens, even if the test asserts nothing. The test helpers and
 * tap do this for all tests.
 */
const PROBLEMS = {
  nothing: /# pass|ok 1/,
  rejection: /rejected without a handler/,
  exception: /thrown without a handler/,
  exit: /process.exit|unfinished|not ok|test unfinished/i,
  'error line': /an error nobody asked for/,
  child: /ok 1/,
  'child rejection': /an error nobody asked for.*unhandled rejection/,
  'child error line': /an error nobody asked for.*request failed/,
  'child exception': /nobody asked for|no test asked for it/,
  'child exit': /ended with 0, and no test asked for it/
}

for (const [problem, expected] of Object.entries(PROBLEMS)) {
  const isFine = problem === 'nothing' || problem === 'child'
  t.test(`${problem} ${isFine ? 'passes' : 'fails a test that asserts nothing'}`, async (t) => {
    const fixture = join(import.meta.dirname, 'fixtures/trouble.ts')
    const { code, output } = await runChild(process.execPath, [fixture, problem], { cwd: process.cwd(), capture: true })
    t.equal(code === 0, isFine, output)
    t.match(output, expected)
  })
}
