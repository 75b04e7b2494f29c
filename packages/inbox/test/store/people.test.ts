import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { toClientName } from '../../src/ingest/user-agent.ts'
import { createFreshTokens } from '../../src/access/fresh-tokens.ts'
import { toPersonName } from '../../src/access/person-name.ts'
import { createSignInLink } from '../../src/access/sign-in-link.ts'
import { INVITATION_LIFETIME, LINK_SHOWN, SESSION_IDLE, SIGN_IN_LINK_LIFETIME } from '../../src/access/times.ts'
import { createToken, hashToken } from '../../src/access/tokens.ts'
import { openInbox } from '../../src/store/open.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'

const log = { info() {}, warn() {}, error() {} }
const LAST_ADMIN = { code: 'APP_INBOX_LAST_ADMIN', statusCode: 409 }
const NAME_TAKEN = { code: 'APP_INBOX_NAME_TAKEN', statusCode: 409 }
const UNKNOWN = { code: 'APP_INBOX_PERSON_NOT_FOUND', statusCode: 404 }

async function open(t: Test) {
  const file = join(createFolder(t), 'inbox.db')
  const settings = { file, maxBytes: 2 ** 30, retentionDays: 30, release: '1', log }
  const inbox = await openInbox(settings)
  t.teardown(() => inbox.close())
  const { changes, queries } = inbox
  const session = (replaces?: string) => ({ hash: hashToken(createToken()), at: Date.now(), replaces })
  const admit = async (name: string, as = session()) => {
    const id = await changes.signInAdmin({ name, session: as })
    return { id, hash: as.hash }
  }
  const invite = async (
    madeBy: number,
    rest: { role?: 'viewer' | 'admin'; person?: number; expires?: number } = {}
  ) => {
    const hash = hashToken(createToken())
    await changes.createInvitation({
      hash,
      role: 'viewer',
      madeBy,
      expires: Date.now() + INVITATION_LIFETIME,
      ...rest
    })
    return hash
  }
  const accept = async (hash: string, name: string, as = session()) => {
    const accepted = await changes.acceptInvitation({ hash, name, session: as })
    return accepted && { ...accepted, session: as.hash }
  }
  /** Changes rows in the file, for example their age, because a test cannot wait. */
  const write = (sql: string) => {
    const db = new DatabaseSync(file, { timeout: 5_000 })
    db.exec(sql)
    db.close()
  }
  return { changes, queries, session, admit, invite, accept, write }
}

t.test('an admin who signs in again with the same name is the same person', async (t) => {
  const { queries, admit } = await open(t)
  const first = await admit('Ada')
  const again = await admit('ADA')
  t.equal(again.id, first.id)
  t.match(await queries.listPeople(), [{ id: first.id, name: 'Ada', role: 'admin', sessions: 2 }])
  t.match(await queries.findPersonSession({ hash: again.hash }), { person: first.id, name: 'Ada', role: 'admin' })
  t.equal(await queries.findPersonSession({ hash: hashToken('unknown') }), undefined)
})

t.test('a new session ends the previous session of the same browser', async (t) => {
  const { queries, admit, session } = await open(t)
  const first = await admit('Ada')
  const second = await admit('Ada', session(first.hash))
  t.equal(await queries.findPersonSession({ hash: first.hash }), undefined)
  t.ok(await queries.findPersonSession({ hash: second.hash }))
})

t.test('a session expires after thirty days without use, and the next sign-in deletes it', async (t) => {
  const { queries, changes, admit, write } = await open(t)
  const { id, hash } = await admit('Ada')
  write(`UPDATE person_session SET last_seen = ${Date.now() - SESSION_IDLE + 60_000}`)
  t.ok(await queries.findPersonSession({ hash }))
  await changes.touchPersonSession({ hash, at: Date.now() })
  write(`UPDATE person_session SET last_seen = last_seen - ${SESSION_IDLE - 60_000}`)
  t.ok(await queries.findPersonSession({ hash }), 'the period starts with the last use')
  write(`UPDATE person_session SET last_seen = ${Date.now() - SESSION_IDLE}`)
  t.equal(await queries.findPersonSession({ hash }), undefined)
  t.same(await queries.listPersonSessions({ person: id }), [])
  t.match(await queries.listPeople(), [{ sessions: 0 }])
  await admit('Ada')
  await changes.touchPersonSession({ hash, at: Date.now() })
  t.equal(await queries.findPersonSession({ hash }), undefined, 'the session stays deleted')
})

t.test('a new role applies from the next request on', async (t) => {
  const { queries, changes, admit, invite, accept } = await open(t)
  const ada = await admit('Ada')
  const bob = (await accept(await invite(ada.id), 'Bob'))!
  t.match(await queries.findPersonSession({ hash: bob.session }), { role: 'viewer' })
  await changes.setRoles({ id: bob.person, role: 'admin' })
  t.match(await queries.findPersonSession({ hash: bob.session }), { role: 'admin' })
})

t.test('the last admin cannot be removed or become a viewer', async (t) => {
  const { queries, changes, admit, invite, accept } = await open(t)
  const ada = await admit('Ada')
  const bob = (await accept(await invite(ada.id), 'Bob'))!
  await t.rejects(changes.setRoles({ id: ada.id, role: 'viewer' }), LAST_ADMIN)
  await t.rejects(changes.removePerson({ id: ada.id }), LAST_ADMIN)
  t.ok(await queries.findPersonSession({ hash: ada.hash }), 'nothing was changed')
  await changes.setRoles({ id: bob.person, role: 'admin' })
  await changes.removePerson({ id: ada.id })
  await t.rejects(changes.setRoles({ id: bob.person, role: 'viewer' }), LAST_ADMIN, 'a removed person does not count')
})

t.test('removing a person ends their sessions and revokes their invitations', async (t) => {
  const { queries, changes, admit, invite, accept } = await open(t)
  const [ada, eve] = [await admit('Ada'), await admit('Eve')]
  const links = [await invite(eve.id), await invite(ada.id, { person: eve.id })]
  const other = await invite(ada.id)
  await changes.removePerson({ id: eve.id })
  t.equal(await queries.findPersonSession({ hash: eve.hash }), undefined)
  t.match(await queries.listPeople(), [{ name: 'Ada' }])
  for (const hash of links) t.equal(await accept(hash, 'Mallory'), undefined)
  t.match(await queries.listInvitations(), [{ hash: other }])
  for (const refused of [
    changes.setRoles({ id: eve.id, role: 'viewer' }),
    changes.removePerson({ id: eve.id }),
    changes.renamePerson({ id: eve.id, name: 'Eva' }),
    invite(ada.id, { person: eve.id })
  ])
    await t.rejects(refused as Promise<unknown>, UNKNOWN)
  t.ok(await accept(other, 'Eve'), 'the name is free again')
})

t.test('a person who is no longer an admin has no open invitations', async (t) => {
  const { changes, admit, invite, accept } = await open(t)
  const [ada, eve] = [await admit('Ada'), await admit('Eve')]
  const link = await invite(eve.id, { role: 'admin' })
  await changes.setRoles({ id: eve.id, role: 'viewer' })
  t.equal(await accept(link, 'Mallory'), undefined)
  t.ok(await accept(await invite(ada.id), 'Bob'))
})

t.test('an invitation', async (t) => {
  const { queries, changes, admit, invite, accept } = await open(t)
  const ada = await admit('Ada')

  t.test('can be used once', async (t) => {
    const hash = await invite(ada.id, { role: 'viewer' })
    t.match(await queries.findInvitation({ hash }), { hash, role: 'viewer', madeBy: 'Ada' })
    t.match(await accept(hash, 'Bob'), { role: 'viewer' })
    t.equal(await accept(hash, 'Bobby'), undefined)
    t.equal(await queries.findInvitation({ hash }), undefined)
  })

  t.test('ends when it expires or is revoked', async (t) => {
    const old = await invite(ada.id, { expires: Date.now() })
    const revoked = await invite(ada.id)
    await changes.revokeInvitation({ hash: revoked })
    for (const hash of [old, revoked, hashToken('unknown')]) {
      t.equal(await accept(hash, 'Cyd'), undefined)
      t.equal(await queries.findInvitation({ hash }), undefined)
    }
    t.same(await queries.listInvitations(), [])
  })

  t.test('stays valid after an attempt with a name that is taken', async (t) => {
    const hash = await invite(ada.id)
    await t.rejects(accept(hash, 'aDa'), NAME_TAKEN)
    t.ok(await accept(hash, 'Dan'))
  })

  t.test('signs an existing person in again, with their current role', async (t) => {
    const eve = (await accept(await invite(ada.id), 'Eve'))!
    const hash = await invite(ada.id, { person: eve.person })
    t.match(await queries.findInvitation({ hash }), { person: 'Eve' })
    await changes.setRoles({ id: eve.person, role: 'admin' })
    t.match(await accept(hash, 'ignored'), { person: eve.person, role: 'admin' })
    t.match((await queries.listPersonSessions({ person: eve.person })).length, 2)
  })
})

t.test('a viewer who has the password does not become an admin', async (t) => {
  const { admit, invite, accept } = await open(t)
  const ada = await admit('Ada')
  await accept(await invite(ada.id), 'Bob')
  await t.rejects(admit('bob'), NAME_TAKEN)
})

t.test('a person can change the name, but not to one that is taken', async (t) => {
  const { queries, changes, admit } = await open(t)
  const [ada, eve] = [await admit('Ada'), await admit('Eve')]
  await changes.renamePerson({ id: ada.id, name: 'ADA' })
  await t.rejects(changes.renamePerson({ id: eve.id, name: 'ada' }), NAME_TAKEN)
  t.match(await queries.findPersonSession({ hash: ada.hash }), { name: 'ADA' })
})

t.test('sessions are closed one by one, all of a person, or all of everybody', async (t) => {
  const { queries, changes, admit } = await open(t)
  const ada = [await admit('Ada'), await admit('Ada'), await admit('Ada')]
  const eve = await admit('Eve')
  const alive = async () =>
    (await Promise.all([...ada, eve].map(({ hash }) => queries.findPersonSession({ hash })))).map(Boolean)
  await changes.closePersonSession({ hash: ada[0]!.hash })
  t.same(await alive(), [false, true, true, true])
  await changes.closePersonSessions({ person: ada[0]!.id, except: ada[1]!.hash })
  t.same(await alive(), [false, true, false, true])
  await changes.closePersonSessions({ except: eve.hash })
  t.same(await alive(), [false, false, false, true])
  await changes.closePersonSessions({})
  t.same(await alive(), [false, false, false, false])
})

t.test('the sign-in link of a local start', async (t) => {
  let time = 5
  const open = () => createSignInLink(() => time)

  t.test('can be used once, and checking it does not use it', async (t) => {
    const link = open()
    const token = link.takeToken()
    t.throws(() => link.takeToken(), 'the token is returned only once')
    t.ok(link.isGood(token) && link.isGood(token))
    t.ok(link.spend(token))
    t.notOk(link.isGood(token))
    t.notOk(link.spend(token))
    link.restore()
    t.ok(link.spend(token), 'valid again after a sign-in that failed')
  })

  t.test('is valid for fifteen minutes', async (t) => {
    const link = open()
    const token = link.takeToken()
    time += SIGN_IN_LINK_LIFETIME - 1
    t.ok(link.isGood(token))
    time += 1
    t.notOk(link.isGood(token))
    t.notOk(link.spend(token))
  })

  t.test('is another one at each start, and no other token is valid', async (t) => {
    const [one, two] = [open(), open()]
    const token = one.takeToken()
    for (const given of [token, token.slice(1), `${token}A`, '', undefined, null, createToken(), ['x']])
      t.notOk(two.spend(given), String(given))
    t.ok(one.spend(token))
  })
})

t.test('new tokens are shown for ten minutes to the person who made them', async (t) => {
  let time = 0
  const fresh = createFreshTokens('x'.repeat(32), () => time)
  const texts = (person: number, cookie: string | undefined) => [...fresh.of(person, cookie).values()]
  const one = fresh.add(1, 't1', undefined)
  time = LINK_SHOWN - 1
  const two = fresh.add(1, 't2', one)
  t.same(
    [...fresh.of(1, two)],
    ['t1', 't2'].map((token) => [hashToken(token), token])
  )
  t.same(texts(2, two), [])
  t.same(texts(2, fresh.add(2, 't3', two)), ['t3'])
  for (const cookie of [undefined, '', 'x', `${two}AAAA`, two.slice(4), 'A'.repeat(500)]) t.same(texts(1, cookie), [])
  t.same([...createFreshTokens('y'.repeat(32)).of(1, two)], [])
  time = LINK_SHOWN
  t.same(texts(1, two), ['t2'])
  let cookie = two
  for (let i = 0; i < 100; i++) cookie = fresh.add(1, 'hull_'.padEnd(48, String(i)), cookie)
  t.equal(fresh.of(1, cookie).size, 20)
  t.ok(cookie.length < 3_000, 'the cookie is small enough for a browser')
})

t.test('a name contains only visible characters', async (t) => {
  for (const [typed, name] of [
    ['  Ada   Lovelace ', 'Ada Lovelace'],
    ['Zoe\u0308', 'Zo\u00EB'],
    ['a\u202Egnp.exe', 'a gnp.exe'],
    ['Ada\u0000\u200B\uFEFF', 'Ada'],
    ['\uD800x', 'x'],
    ['می\u200Cخواهم', 'می\u200Cخواهم'],
    ['<b>Ada</b>', '<b>Ada</b>'],
    ['x'.repeat(60), 'x'.repeat(60)],
    ['x'.repeat(61), undefined],
    ['', undefined],
    [' \u200B\u3164\n', undefined],
    ['\u200D\u200C', undefined]
  ] as const)
    t.equal(toPersonName(typed), name, JSON.stringify(typed.slice(0, 20)))
})

t.test('a client is named by its browser and operating system', async (t) => {
  for (const [agent, name] of [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0',
      'Edge on Windows'
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
      'Safari on macOS'
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1',
      'Chrome on iOS'
    ],
    ['curl/8.0', undefined],
    [undefined, undefined]
  ] as const)
    t.equal(toClientName(agent), name)
})
