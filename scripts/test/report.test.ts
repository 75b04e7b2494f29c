import t from 'tap'
import { createReport, parseTotals } from '../report.js'

const FAILING = `TAP version 14
# Subtest: test/a.test.ts
    ok 1 - adds
    1..1
ok 1 - test/a.test.ts # time=1234.5ms

# Subtest: test/b.test.ts
    # Subtest: subtracts
        ok 1 - should be equal
        1..1
    ok 1 - subtracts # time=5ms
    # Subtest: multiplies
        ok 1 - should be equal
        not ok 2 - should be equal
          ---
          diff: |
            -3
            +2
          ...
        1..2
    not ok 2 - multiplies # time=5ms
    1..2
not ok 2 - test/b.test.ts # time=50ms
1..2
# No coverage generated
# { total: 5, pass: 4, fail: 1 }
# time=3203.614ms
`

t.test('a report', async (t) => {
  const lines: string[] = []
  const report = createReport((line) => lines.push(line))
  for (let i = 0; i < FAILING.length; i += 7) report.write(FAILING.slice(i, i + 7))
  t.same(report.end(), { passed: 4, failed: 1, skipped: 0 })
  t.equal(lines[0], 'ok  test/a.test.ts  1.2 s', 'has a line for a file that passes')
  t.equal(lines[1], 'FAILED  test/b.test.ts  0.1 s', 'and one for a file that fails')
  const rest = lines.slice(2).join('\n')
  t.match(rest, /multiplies\n +not ok 2 - should be equal\n[^]*-3\n +\+2/, 'with what failed')
  t.notMatch(rest, /subtracts| ok 1/, 'without what passed')
})

const KILLED = `TAP version 14
not ok 1 - test/a.test.ts # time=50ms
  ---
  cwd: /project
  command: /bin/node
  args:
    - test/a.test.ts
  exitCode: null
  signal: SIGKILL
  ...

# Subtest: test/b.test.ts
    ok 1 - adds
    1..1
ok 2 - test/b.test.ts # time=40ms
1..2
# { total: 2, pass: 1, fail: 1 }
`

t.test('a report shows how a process ended below its own file', async (t) => {
  const lines: string[] = []
  const report = createReport((line) => lines.push(line))
  report.write(KILLED)
  t.same(report.end(), { passed: 1, failed: 1, skipped: 0 })
  t.same(lines, ['FAILED  test/a.test.ts  0.1 s', '    signal: SIGKILL', 'ok  test/b.test.ts  0.0 s'])
})

t.test('parseTotals', async (t) => {
  t.same(parseTotals('# { total: 9, pass: 5, fail: 1, skip: 2, todo: 1 }'), { passed: 5, failed: 1, skipped: 3 })
  t.same(parseTotals('# { total: 2, pass: 2 }'), { passed: 2, failed: 0, skipped: 0 })
  t.equal(parseTotals('# { a comment }'), undefined)
})
