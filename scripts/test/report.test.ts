import t from 'tap'
import { createReport } from '../report.js'

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
# { total: 5, pass: 4, fail: 1 }
# time=3203.614ms
`

t.test('a report has a line per file, and the failed assertions', async (t) => {
  const lines: string[] = []
  const report = createReport((line) => lines.push(line))
  for (let i = 0; i < FAILING.length; i += 7) report.write(FAILING.slice(i, i + 7))
  report.end()
  t.equal(lines[0], 'ok  test/a.test.ts  1.2 s', 'has a line for a passed file')
  t.equal(lines[1], 'FAILED  test/b.test.ts  0.1 s', 'has a line for a failed file')
  const rest = lines.slice(2).join('\n')
  t.match(rest, /multiplies\n +not ok 2 - should be equal\n[^]*-3\n +\+2/, 'has the failed assertion')
  t.notMatch(rest, /subtracts| ok 1/, 'has no passed assertion')
})

const EARLIER = `TAP version 14
# Subtest: test/a.test.ts
    ok 1 - adds
    1..1
ok 1 - test/a.test.ts # time=40ms
`

const RUNNING = `# Subtest: test/b.test.ts
    ok 1 - adds
    not ok 2 - subtracts
a line that is not comple`

t.test('a report shows the exit code or signal of a process below the file that it was running', async (t) => {
  const print = (text: string, file: string, signal: NodeJS.Signals | null) => {
    const lines: string[] = []
    const report = createReport((line) => lines.push(line))
    report.write(text)
    report.fail(file, 50, { code: signal ? null : 3, signal })
    return lines
  }
  t.same(print(EARLIER + RUNNING, 'test/b.test.ts', 'SIGKILL'), [
    'ok  test/a.test.ts  0.0 s',
    'FAILED  test/b.test.ts  0.1 s',
    '    not ok 2 - subtracts',
    'a line that is not comple',
    '    signal: SIGKILL'
  ])
  t.same(
    print(`${EARLIER}not ok 2 - test/b.test.ts # time=50ms\n`, 'test/b.test.ts', null),
    ['ok  test/a.test.ts  0.0 s', 'FAILED  test/b.test.ts  0.1 s', '    exitCode: 3'],
    'has only one line for a file that tap reports when its process exits'
  )
})
