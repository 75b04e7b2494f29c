import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { runTestFiles } from '../test-run.js'

const pass = (count: number) => `console.log('TAP version 14\\n# { total: ${count}, pass: ${count} }')`

t.test('a run of test files', async (t) => {
  const { totals, printed, times } = await run(t, {
    'passes.test.ts': pass(3),
    'fails.test.ts': "console.log('not ok 1 - adds\\n# { total: 2, pass: 1, fail: 1 }'); process.exitCode = 1",
    'skips.test.ts': "console.log('1..0 # SKIP not here')",
    'crashes.test.ts': "console.log('before the end'); process.kill(process.pid, 'SIGKILL')",
    'silent.test.ts': '',
    'late.test.ts': `${pass(1)}; process.exitCode = 4`
  })
  const lineOf = (file: string) => printed.find((line) => line.includes(file))
  t.match(lineOf('passes'), /^ok {2}passes\.test\.ts {2}\d+\.\d s$/, 'says what passed')
  t.match(lineOf('skips'), /^ok/, 'takes a file without tests that says so')
  for (const file of ['fails', 'crashes', 'silent', 'late'])
    t.match(lineOf(file), /^FAILED/, `says that ${file} failed`)
  t.ok(printed.includes('    not ok 1 - adds'), 'with what it said')
  t.ok(printed.includes('    the process was ended by SIGKILL'), 'and the signal that ended it')
  t.same(totals, { passed: 5, failed: 4, skipped: 0 }, 'counts a process that fails without a count as one')
  t.same(Object.keys(times()).length, 6, 'records how long each took')
})

t.test('a file that never ends is killed', async (t) => {
  const { totals, printed } = await run(t, { 'hangs.test.ts': 'setInterval(() => {}, 1_000)' }, { killAfter: 1_000 })
  t.same(totals, { passed: 0, failed: 1, skipped: 0 })
  t.ok(printed.includes('    the process was ended by SIGKILL'))
})

t.test('the file that took longest last time starts first', async (t) => {
  const files = { 'a.test.ts': pass(1), 'b.test.ts': pass(1), '.hull': { 'test-times.json': '{"b.test.ts":9}' } }
  const { printed } = await run(t, files, { jobs: 1 })
  t.match(printed, [/b\.test\.ts/, /a\.test\.ts/])
})

async function run(t: Test, tree: Record<string, string | Record<string, string>>, options = {}) {
  const root = t.testdir({ ...tree, 'package.json': '{"type":"module"}' })
  const printed: string[] = []
  const totals = await runTestFiles({
    root,
    node: process.execPath,
    env: process.env,
    files: Object.keys(tree).filter((name) => name.endsWith('.test.ts')),
    print: (line) => printed.push(line),
    ...options
  })
  const times = () => JSON.parse(readFileSync(join(root, '.hull/test-times.json'), 'utf8'))
  return { totals, printed, times }
}
