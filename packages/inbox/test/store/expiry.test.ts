import t from 'tap'
import { INVITATION_LIFETIME, SESSION_IDLE } from '../../src/access/times.ts'
import { openWriter } from '../helpers/writer.ts'

t.test('expired sessions and invitations are deleted even if nobody signs in', (t) => {
  let now = Date.now()
  const { writer, store, tidy } = openWriter(t, { now: () => now })
  const madeBy = writer.change('signInAdmin', { name: 'Ada', session: { hash: 'old', at: now } }) as number
  const invite = (hash: string) =>
    writer.change('createInvitation', { hash, role: 'viewer', madeBy, expires: now + INVITATION_LIFETIME })
  const left = () => [
    ...store.all('SELECT hash FROM person_session').map(({ hash }) => hash),
    ...store.all('SELECT hash FROM invitation').map(({ hash }) => hash)
  ]
  invite('first')
  now += INVITATION_LIFETIME
  invite('second')
  tidy()
  t.same(left(), ['old', 'second'])
  writer.change('signInAdmin', { name: 'Ada', session: { hash: 'new', at: now } })
  now += SESSION_IDLE - INVITATION_LIFETIME
  tidy()
  t.same(left(), ['new'])
  t.match(store.all('SELECT name FROM person'), [{ name: 'Ada' }], 'people are kept')
  t.end()
})
