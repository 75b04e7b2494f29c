import t from 'tap'
import { parseRetryAfter } from '../../../common/src/http/retry-after.ts'

const NOW = Date.UTC(1994, 10, 6, 8, 49, 30)

t.test('parseRetryAfter', async (t) => {
  t.test('parses seconds and all three formats of a date', async (t) => {
    t.equal(parseRetryAfter('0', NOW), 0)
    t.equal(parseRetryAfter(' 120 ', NOW), 120_000)
    t.equal(parseRetryAfter('Sun, 06 Nov 1994 08:49:37 GMT', NOW), 7_000)
    t.equal(parseRetryAfter('Sunday, 06-Nov-94 08:49:37 GMT', NOW), 7_000)
    t.equal(parseRetryAfter('Sun Nov  6 08:49:37 1994', NOW), 7_000)
  })

  t.test('returns 0 for a date in the past', async (t) => {
    t.equal(parseRetryAfter('Sun, 06 Nov 1994 08:49:00 GMT', NOW), 0)
  })

  t.test('ignores other values', async (t) => {
    for (const value of [
      null,
      undefined,
      '',
      '-1',
      '1.5',
      '1e3',
      '0x10',
      'soon',
      'item 1',
      '2026-01-01',
      'Sun, 99 Foo 1994 08:49:37 GMT'
    ]) {
      t.equal(parseRetryAfter(value, NOW), undefined, String(value))
    }
  })
})
