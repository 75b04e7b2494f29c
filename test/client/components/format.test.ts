import t from 'tap'
import { formatDuration, formatMegabytes, formatUtc } from '../../../client/components/format.ts'

t.test('writes a duration in two units at most', async (t) => {
  t.equal(formatDuration(0.4), '0 s')
  t.equal(formatDuration(59.9), '59 s')
  t.equal(formatDuration(60), '1 min')
  t.equal(formatDuration(3_600), '1 h')
  t.equal(formatDuration(7_500), '2 h 5 min')
  t.equal(formatDuration(24 * 3_600), '1 d')
  t.equal(formatDuration(76.5 * 3_600), '3 d 4 h')
})

t.test('writes bytes as megabytes and times in UTC', async (t) => {
  t.equal(formatMegabytes(84 * 2 ** 20 + 1), '84 MB')
  t.equal(formatUtc(new Date('2026-03-01T09:30:05.999Z')), '2026-03-01 09:30:05 UTC')
})
