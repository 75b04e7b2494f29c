import t, { type Test } from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { createToken as createHash } from '../../src/access/tokens.ts'
import { acceptInvitation } from '../helpers/invitation.ts'

/* Changes by an admin who is removed, or receives another role, while the change is sent to the store. */

const { app } = await createTestApp(t, { env: { INBOX_PASSWORD } })
const ada = await signIn(app)
const { changes, queries } = app.inbox!
const idOf = async (name: string) => (await queries.listPeople()).find((person) => person.name === name)!.id
const pageOf = async (name: string) => `/inbox/settings/people/${await idOf(name)}`
const invite = { intent: 'invite', role: 'admin' }
const refuses = (t: Test, attempt: () => Promise<unknown>, message: string) =>
  t.rejects(async () => void (await attempt()), { code: 'APP_INBOX_ROLE_TOO_LOW', statusCode: 403 }, message)

t.test('no invitation by an admin who is being removed stays open', async (t) => {
  const mallory = await acceptInvitation(app, ada, 'admin', 'Mallory')
  const page = await pageOf('Mallory')
  const inviteUntilRefused = async () => {
    let status: number
    do status = (await mallory.post('/inbox/settings/people', invite)).statusCode
    while (status === 303)
    return status
  }
  const inviting = Array.from({ length: 8 }, inviteUntilRefused)
  t.equal((await ada.post(page, { intent: 'remove' })).statusCode, 303)
  for (const status of await Promise.all(inviting)) t.ok([401, 403].includes(status), `${status}`)
  t.same(await queries.listInvitations(), [])
})

t.test('an admin who is being made a viewer cannot undo it', async (t) => {
  const eve = await acceptInvitation(app, ada, 'admin', 'Eve')
  const page = await pageOf('Eve')
  const promoteOften = () => Array.from({ length: 20 }, () => eve.post(page, { intent: 'roles', role: 'admin' }))
  const demote = ada.post(page, { intent: 'roles', role: 'viewer' })
  const [answer] = await Promise.all([demote, ...promoteOften(), ...promoteOften()])
  t.equal(answer.statusCode, 303)
  t.match(
    (await queries.listPeople()).find(({ name }) => name === 'Eve'),
    { role: 'viewer' }
  )
})

t.test('each change that requires an admin is checked in its transaction', async (t) => {
  await acceptInvitation(app, ada, 'admin', 'Kim')
  await acceptInvitation(app, ada, 'viewer', 'Vera')
  const [kim, vera] = [await idOf('Kim'), await idOf('Vera')]
  const { id: shop } = await changes.createProject({ name: 'Shop' })
  const CHANNEL = {
    name: 'Team',
    target: 'https://a.invalid/',
    groupMinutes: 0,
    quietFrom: '',
    quietUntil: '',
    zone: 'UTC'
  }
  const channel = await changes.createChannel({ kind: 'webhook', ...CHANNEL })
  const THRESHOLD = { bound: 5, minimum: 50, channel, tellsEnd: true }
  const threshold = await changes.createThreshold({ kind: 'spike', project: 1, ...THRESHOLD })
  const by = kim
  const attempts = {
    setRoles: () => changes.setRoles({ id: vera, role: 'admin', by }),
    removePerson: () => changes.removePerson({ id: vera, by }),
    createInvitation: () =>
      changes.createInvitation({ hash: createHash(), role: 'viewer', madeBy: kim, expires: Date.now() + 1e6 }),
    revokeInvitation: () => changes.revokeInvitation({ hash: 'unknown', by }),
    createProject: () => changes.createProject({ name: 'Tea', by }),
    removeProject: () => changes.removeProject({ id: shop, by }),
    renameProject: () => changes.renameProject({ id: shop, name: 'Tea', by }),
    setRepository: () => changes.setRepository({ id: shop, by }),
    renewKey: () => changes.renewKey({ id: shop, by }),
    deleteMonitor: () => changes.deleteMonitor({ id: 1, by }),
    createChannel: () => changes.createChannel({ kind: 'webhook', ...CHANNEL, by }),
    changeChannel: () => changes.changeChannel({ id: channel, ...CHANNEL, by, now: Date.now() }),
    renewChannelSecret: () => changes.renewChannelSecret({ id: channel, by }),
    resumeChannel: () => changes.resumeChannel({ id: channel, by }),
    createRule: () => changes.createRule({ project: 1, kind: 'new', channel, environments: [], level: 'debug', by }),
    removeRule: () => changes.removeRule({ id: 1, by }),
    createThreshold: () => changes.createThreshold({ kind: 'spike', project: 1, ...THRESHOLD, by }),
    changeThreshold: () => changes.changeThreshold({ id: threshold, ...THRESHOLD, by }),
    enableThreshold: () => changes.enableThreshold({ id: threshold, isEnabled: false, by }),
    removeThreshold: () => changes.removeThreshold({ id: threshold, by }),
    removeChannel: () => changes.removeChannel({ id: channel, by })
  }
  await changes.setRoles({ id: kim, role: 'member' })
  for (const [name, attempt] of Object.entries(attempts)) await refuses(t, attempt, `${name} by a member`)

  await changes.setRoles({ id: kim, projects: { [shop]: 'admin' } })
  await attempts.renameProject()
  await attempts.renewKey()
  await refuses(t, attempts.removeProject, 'an admin of a project cannot remove it')

  await changes.setRoles({ id: kim, role: 'admin' })
  await attempts.createProject()
  await changes.removePerson({ id: kim })
  for (const [name, attempt] of Object.entries(attempts)) await refuses(t, attempt, `${name} by a removed person`)
})
