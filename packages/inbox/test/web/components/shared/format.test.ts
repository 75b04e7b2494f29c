import t from 'tap'
import {
  countOf,
  formatAgo,
  formatCount,
  formatUpTo,
  formatMs,
  formatShare
} from '../../../../src/web/components/shared/format.ts'

t.test('a count is exact up to 9,999, and abbreviated from 10,000 on', async (t) => {
  for (const [count, shown] of [
    [0, '0'],
    [999, '999'],
    [9_999, '9,999'],
    [10_000, '10.0k'],
    [12_449, '12.4k'],
    [123_456, '123k'],
    [999_999, '1.0M'],
    [3_140_000, '3.1M'],
    [1_234_567_890, '1,235M']
  ] as const)
    t.equal(formatCount(count), shown)
  t.equal(formatUpTo(9_999, 9_999), '9,999')
  t.equal(formatUpTo(10_000, 9_999), '9,999+')
  t.equal(countOf(1, 'event'), '1 event')
  t.equal(countOf(1_200, 'event'), '1,200 events')
})

t.test('shows an age in one unit', async (t) => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  for (const [ms, shown] of [
    [0, 'just now'],
    [12_000, '12 s ago'],
    [59_999, '59 s ago'],
    [60_000, '1 min ago'],
    [3_600_000, '1 h ago'],
    [47 * 3_600_000, '47 h ago'],
    [48 * 3_600_000, '2 d ago'],
    [40 * 86_400_000, '12 Oct 2026'],
    [-30_000, 'just now'],
    [-300_000, 'in 5 min']
  ] as const)
    t.equal(formatAgo(now - ms, now), shown)
})

t.test('a share is 0 % or 100 % only if it is exactly that', async (t) => {
  for (const [share, shown] of [
    [0, '0 %'],
    [0.0004, '< 0.1 %'],
    [0.004, '0.4 %'],
    [0.624, '62 %'],
    [0.9964, '99.6 %'],
    [0.99999, '99.99 %'],
    [1, '100 %']
  ] as const)
    t.equal(formatShare(share), shown)
})

t.test('shows durations with significant digits', async (t) => {
  t.same([0.123, 5, 5.25, 85.4, 1_240, 150_000].map(formatMs), [
    '0.12 ms',
    '5 ms',
    '5.3 ms',
    '85 ms',
    '1.24 s',
    '2.5 min'
  ])
})
