import t from 'tap'
import { createTurns } from '../../src/api/turns.ts'

t.test('operations of a person are refused if too many are waiting, with the time to wait', async (t) => {
  const turnsOf = createTurns()
  const { promise: held, resolve: release } = Promise.withResolvers<string>()
  const waits: number[] = []
  const ask = (person: number) => turnsOf(person, (seconds) => waits.push(seconds))(() => held)
  const accepted = Array.from({ length: 104 }, () => ask(1))
  await t.rejects(ask(1), { code: 'APP_INBOX_TOKEN_TOO_MANY', statusCode: 429 })
  t.same(waits, [1])
  const other = ask(2)
  release('done')
  t.equal(await other, 'done')
  t.same(new Set(await Promise.all(accepted)), new Set(['done']))
})
