// Runs in a process of its own: it changes the time zone of its process.
import t from 'tap'
import { formatDay, formatHour } from '../../../../src/web/components/shared/format.ts'
import {
  fromClock,
  mondayMorning,
  toClock,
  tomorrowMorning,
  zoneName
} from '../../../../src/web/components/shared/zone.ts'

const iso = (at: number) => new Date(at).toISOString()

t.before(() => (process.env.TZ = 'Europe/Berlin'))

t.test('a time is shown in the time zone of the viewer, with daylight saving time', async (t) => {
  const winter = Date.parse('2026-01-10T23:30:00Z')
  const summer = Date.parse('2026-07-10T23:30:00Z')
  t.equal(`${formatHour(winter, 'local')} ${zoneName(winter, 'local')}`, '11 Jan 00:30 UTC+1')
  t.equal(`${formatHour(summer, 'local')} ${zoneName(summer, 'local')}`, '11 Jul 01:30 UTC+2')
  t.equal(`${formatHour(summer, 'UTC')} ${zoneName(summer, 'UTC')}`, '10 Jul 23:30 UTC')
  t.equal(formatDay(winter, 'local'), '11 Jan 2026')
  for (const at of [winter, summer]) t.equal(fromClock(toClock(at, 'local').getTime(), 'local'), at)
})

t.test('a morning begins at 6:00 in the time zone of the viewer, also when daylight saving time begins', async (t) => {
  // Daylight saving time begins in Berlin on Sunday, 29 March 2026.
  const saturday = Date.parse('2026-03-28T23:10:00Z')
  t.equal(iso(tomorrowMorning(saturday, 'local')), '2026-03-30T04:00:00.000Z')
  t.equal(iso(tomorrowMorning(saturday, 'UTC')), '2026-03-29T06:00:00.000Z')
  t.equal(iso(mondayMorning(saturday, 'local')), '2026-03-30T04:00:00.000Z')
  const monday = Date.parse('2026-03-23T12:00:00Z')
  t.equal(iso(mondayMorning(monday, 'local')), '2026-03-30T04:00:00.000Z')
  t.equal(iso(mondayMorning(monday, 'UTC')), '2026-03-30T06:00:00.000Z')
})
