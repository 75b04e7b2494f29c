import t from 'tap'
import { parseTotals, reportFile } from '../report.js'

const FAILING = `TAP version 14
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
# { total: 3, pass: 2, fail: 1 }
# time=50ms
`

t.test('a report', async (t) => {
  const report = (result: Parameters<typeof reportFile>[0]) => {
    const printed: string[] = []
    reportFile(result, (line) => printed.push(line))
    return printed
  }
  const lines = FAILING.split('\n')
  t.same(
    report({ file: 'test/a.test.ts', ok: true, lines, seconds: 1.2345 }),
    ['ok  test/a.test.ts  1.2 s'],
    'has one line for a file that passes'
  )
  const [first, ...rest] = report({ file: 'test/b.test.ts', ok: false, lines, seconds: 0.05 })
  t.equal(first, 'FAILED  test/b.test.ts  0.1 s', 'and one for a file that fails')
  t.match(rest.join('\n'), /multiplies\n +not ok 2 - should be equal\n[^]*-3\n +\+2/, 'with what failed')
  t.notMatch(rest.join('\n'), /subtracts| ok 1|total|TAP/, 'without what passed')
})

t.test('parseTotals', async (t) => {
  t.same(parseTotals('# { total: 9, pass: 5, fail: 1, skip: 2, todo: 1 }'), { passed: 5, failed: 1, skipped: 3 })
  t.same(parseTotals('# { total: 2, pass: 2 }'), { passed: 2, failed: 0, skipped: 0 })
  t.equal(parseTotals('# { a comment }'), undefined)
})
