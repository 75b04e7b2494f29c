import t from 'tap'
import { listMornings } from '../../../../src/web/components/issues/mornings.ts'

const labelsAt = (now: Date) => listMornings(now.getTime(), 'local').map(([, label]) => label)

t.test('an issue can be ignored until tomorrow or until Monday', async (t) => {
  t.strictSame(labelsAt(new Date(2026, 10, 28, 12)), ['Until tomorrow, 06:00', 'Until Monday, 06:00'])
})

t.test('on a Sunday, tomorrow is Monday and is offered once', async (t) => {
  t.strictSame(labelsAt(new Date(2026, 10, 29, 12)), ['Until tomorrow, 06:00'])
  const sunday = Date.parse('2026-11-29T12:00:00Z')
  t.strictSame(listMornings(sunday, 'UTC'), [['ignore-tomorrow', 'Until tomorrow, 06:00 UTC']])
})
