import t from 'tap'
import { formatDuration, formatTime } from '../../client/components/format.ts'

t.test('writes a duration in at most two units', async (t) => {
  t.equal(formatDuration(0.4), '0 s')
  t.equal(formatDuration(59.9), '59 s')
  t.equal(formatDuration(60), '1 min')
  t.equal(formatDuration(3_600), '1 h')
  t.equal(formatDuration(7_500), '2 h 5 min')
  t.equal(formatDuration(24 * 3_600), '1 d')
  t.equal(formatDuration(76.5 * 3_600), '3 d 4 h')
})

t.test('writes times with their time zone', async (t) => {
  const at = Date.parse('2026-03-01T09:30:05.999Z')
  t.equal(formatTime(at, 0), '2026-03-01 09:30:05 UTC')
  t.equal(formatTime(at, 330), '2026-03-01 15:00:05 UTC+5:30')
  t.equal(formatTime(at, -570), '2026-03-01 00:00:05 UTC-9:30')
})
