import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { ISSUE_CHANGES } from '../../src/access/reach.ts'
import { API_ROUTES } from '../../src/api/routes.ts'
import type { Role } from '../../src/store/model.ts'
import type { Visitor } from '../../src/testing.ts'
import { createToken, openApi } from '../helpers/api.ts'
import { acceptInvitation } from '../helpers/invitation.ts'
import { openScreens } from '../helpers/screens.ts'

/*
 * Every page, route, operation and change of the inbox, by role. The names come from the source code: the test fails
 * for a new one without an entry.
 */

const SOURCE = new URL('../../src/', import.meta.url).pathname

const { app, admin } = await openScreens(t)
t.teardown(() => app.close())

/**
 * Columns of the tables. The issue 1, its event and its attachment are in project 1; `other` has a role only in project
 * 2.
 */
const PEOPLE = ['none', 'other', 'viewer', 'member', 'admin'] as const
type Statuses = [none: number, other: number, viewer: number, member: number, admin: number]

const visitors = {
  none: await acceptInvitation(app, admin, 'member', 'Nona'),
  other: await acceptInvitation(app, admin, 'admin', 'Otto'),
  viewer: await acceptInvitation(app, admin, 'member', 'Vera'),
  member: await acceptInvitation(app, admin, 'member', 'Mia'),
  admin
} satisfies Record<(typeof PEOPLE)[number], Visitor>

// Tokens are created while people have more rights than later.
const tokens = new Map<string, ReturnType<typeof openApi>>()
for (const name of PEOPLE) tokens.set(name, openApi(app, await createToken(visitors[name], 'write')))

const people = await app.inbox!.queries.listPeople()
const idOf = (name: string) => people.find((person) => person.name === name)!.id
const setRoles = (name: string, role: Role, projects: Record<string, Role> = {}) =>
  app.inbox!.changes.setRoles({ id: idOf(name), role, projects })
await setRoles('Nona', 'none')
await setRoles('Otto', 'none', { 2: 'admin' })
await setRoles('Vera', 'viewer')

const { keys } = await app.inbox!.queries.getIssue({ id: 1 })
const trace = await traceOf(1)
const other = await issueOf(2)

async function traceOf(project: number): Promise<string> {
  const now = Date.now()
  const view = { since: now - 7 * 86_400_000, until: now, project }
  return (await app.inbox!.queries.listTraces({ view })).traces[0]!.traceId
}

async function issueOf(project: number): Promise<number> {
  const now = Date.now()
  const view = { since: now - 30 * 86_400_000, until: now, project }
  return (await app.inbox!.queries.listIssues({ view, query: '' })).issues[0]!.id
}

const EVERYBODY: Statuses = [200, 200, 200, 200, 200]
const READERS: Statuses = [403, 200, 200, 200, 200]
const OF_PROJECT: Statuses = [403, 404, 200, 200, 200]
const OF_ADMIN: Statuses = [403, 404, 403, 403, 200]
const ADMINS: Statuses = [403, 403, 403, 403, 200]

const PAGES: Record<string, [url: string, statuses: Statuses]> = {
  account: ['/inbox/account', EVERYBODY],
  doctor: ['/inbox/doctor', [404, 404, 200, 200, 200]],
  feedback: ['/inbox/feedback', READERS],
  index: ['/inbox', READERS],
  invitation: ['/inbox/invitation?token=x', EVERYBODY],
  'issues/[id]': ['/inbox/issues/1', OF_PROJECT],
  'issues/[id]/events': ['/inbox/issues/1/events', OF_PROJECT],
  'issues/[id]/tags': ['/inbox/issues/1/tags', OF_PROJECT],
  'issues/index': ['/inbox/issues', READERS],
  'issues/searches': ['/inbox/issues/searches', READERS],
  'issues/merge': ['/inbox/issues/merge?issue=1&issue=2', [403, 200, 403, 200, 200]],
  logs: ['/inbox/logs', READERS],
  'monitors/[id]': ['/inbox/monitors/1', OF_PROJECT],
  'monitors/index': ['/inbox/monitors', READERS],
  releases: ['/inbox/releases', READERS],
  'settings/alerts/[id]': ['/inbox/settings/alerts/1', ADMINS],
  'settings/alerts/index': ['/inbox/settings/alerts', ADMINS],
  'settings/alerts/thresholds/[id]': ['/inbox/settings/alerts/thresholds/1', ADMINS],
  'settings/alerts/thresholds/index': ['/inbox/settings/alerts/thresholds', ADMINS],
  'settings/audit': ['/inbox/settings/audit', ADMINS],
  'settings/index': ['/inbox/settings', [403, 200, 403, 403, 200]],
  'settings/people/[id]': [`/inbox/settings/people/${idOf('Vera')}`, ADMINS],
  'settings/people/index': ['/inbox/settings/people', ADMINS],
  'settings/projects/[id]': ['/inbox/settings/projects/1', OF_ADMIN],
  'settings/storage': ['/inbox/settings/storage', ADMINS],
  'settings/tokens': ['/inbox/settings/tokens', [403, 200, 403, 200, 200]],
  'sign-in': ['/inbox/sign-in', EVERYBODY],
  'sign-out': ['/inbox/sign-out', EVERYBODY],
  'traces/[id]': [`/inbox/traces/${trace}`, OF_PROJECT],
  'traces/index': ['/inbox/traces', READERS],
  unsubscribe: ['/inbox/unsubscribe', EVERYBODY],
  vitals: ['/inbox/vitals', READERS]
}

const ROUTES: Record<string, [url: string, statuses: Statuses]> = {
  '/inbox/live': ['/inbox/live', READERS],
  '/inbox/suggestions': ['/inbox/suggestions?text=env:&issue=1', OF_PROJECT],
  '/inbox/issues/:id/markdown': ['/inbox/issues/1/markdown', OF_PROJECT],
  '/inbox/issues/:id/payload': ['/inbox/issues/1/payload', OF_ADMIN],
  '/inbox/attachments/:id': ['/inbox/attachments/1', OF_PROJECT]
}

const READ: Statuses = EVERYBODY
const READ_ONE: Statuses = [404, 404, 200, 200, 200]
const OPERATIONS: Record<keyof typeof API_ROUTES, [path: string, statuses: Statuses, body?: object]> = {
  listProjects: ['/projects', READ],
  listIssues: ['/issues', READ],
  getIssue: ['/issues/1', READ_ONE],
  changeIssue: ['/issues/1', [403, 404, 403, 200, 200], { state: 'ignored' }],
  assignIssue: ['/issues/1/assignee', [403, 404, 403, 200, 200], { assignee: 'me' }],
  followIssue: ['/issues/1/following', [403, 404, 403, 200, 200], { following: true }],
  listEvents: ['/issues/1/events', READ_ONE],
  getEvent: ['/issues/1/events/latest', READ_ONE],
  listTags: ['/issues/1/tags', READ_ONE],
  listComments: ['/issues/1/comments', READ_ONE],
  addComment: ['/issues/1/comments', [403, 404, 403, 200, 200], { text: 'Seen' }],
  changeComment: ['/issues/1/comments/999', [403, 404, 403, 404, 404], { text: 'Seen' }],
  removeComment: ['/issues/1/comments/999', [403, 404, 403, 404, 404]],
  listSearches: ['/searches', READ],
  listTraces: ['/traces', READ],
  getTrace: [`/traces/${trace}`, READ_ONE],
  listReleases: ['/releases', READ],
  listFeedback: ['/feedback', READ]
}

/** Forms on the page of the issue. 303: the change was made. 422: it was refused for another reason than the role. */
const MEMBERS: Statuses = [403, 404, 403, 303, 303]
const CHANGES: Record<keyof typeof ISSUE_CHANGES, [fields: Record<string, string>, statuses: Statuses]> = {
  resolveIssues: [{ do: 'resolve', issue: '1:0' }, MEMBERS],
  ignoreIssues: [{ do: 'ignore', issue: '1:0' }, MEMBERS],
  reopenIssues: [{ do: 'reopen', issue: '1:0' }, MEMBERS],
  assignIssues: [{ do: 'assign-me', issue: '1:0' }, MEMBERS],
  addComment: [{ do: 'comment', text: 'Seen' }, MEMBERS],
  changeComment: [{ do: 'change-comment', comment: '999', text: 'Seen' }, [403, 404, 403, 422, 422]],
  removeComment: [{ do: 'remove-comment', comment: '999' }, [403, 404, 403, 422, 422]],
  followIssue: [{ do: 'follow' }, [403, 404, 303, 303, 303]],
  unfollowIssue: [{ do: 'unfollow' }, [403, 404, 303, 303, 303]],
  undo: [{ do: 'undo', activities: '1' }, MEMBERS],
  mergeIssues: [{ do: 'merge-into', issue: '1:0', into: '1' }, [403, 404, 422, 422, 422]],
  unmergeKey: [{ do: 'unmerge', key: String(keys[0]!.id) }, [403, 404, 403, 422, 422]],
  deleteIssues: [{ do: 'delete', issue: '1:0' }, [403, 404, 403, 403, 303]]
}

t.test('pages return the status codes in the table, by role', async (t) => {
  const files = readdirSync(join(SOURCE, 'web/pages'), { recursive: true }).map(String)
  const names = files.filter((file) => file.endsWith('.tsx')).map((file) => file.slice(0, -4))
  const forms = new Set(
    names.filter((name) =>
      /export async function action/.test(readFileSync(join(SOURCE, `web/pages/${name}.tsx`), 'utf8'))
    )
  )
  t.same(names.sort(), Object.keys(PAGES).sort(), 'each page has an entry')
  for (const [name, [url, statuses]] of Object.entries(PAGES))
    for (const [index, person] of PEOPLE.entries()) {
      t.equal((await visitors[person].get(url)).statusCode, statuses[index], `${name} for ${person}`)
      if (!forms.has(name) || statuses[index]! < 400) continue
      const posted = await visitors[person].post(url, { intent: 'nothing' })
      t.equal(posted.statusCode, statuses[index], `${name}, a form for ${person}`)
    }
})

t.test('routes return the status codes in the table, by role', async (t) => {
  const source = readFileSync(join(SOURCE, 'routes.ts'), 'utf8')
  const paths = [...source.matchAll(/app\.(?:get|post|put|delete|all)(?:<.*>)?\('([^']+)'/g)].map(([, path]) => path)
  t.same(paths.sort(), Object.keys(ROUTES).sort(), 'each route has an entry')
  for (const [url, statuses] of Object.values(ROUTES))
    for (const [index, person] of PEOPLE.entries()) {
      const response = await visitors[person].ask({ url, payloadAsStream: true })
      t.equal(response.statusCode, statuses[index], `${url} for ${person}`)
      response.stream().destroy()
    }
})

t.test('operations of the API have the current role of the person', async (t) => {
  for (const [name, [path, statuses, body]] of Object.entries(OPERATIONS)) {
    const [method] = API_ROUTES[name as keyof typeof API_ROUTES]
    for (const [index, person] of PEOPLE.entries()) {
      const response = await tokens.get(person)!(path, { method, ...(body && { body }) })
      t.equal(response.statusCode, statuses[index], `${name} for ${person}`)
    }
  }
})

t.test('tools of assistants have the current role of the person', async (t) => {
  const names = async (person: string) => {
    const { body } = await tokens.get(person)!('/mcp', {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    })
    return [...body.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name)
  }
  t.ok((await names('member')).includes('change_issue'))
  t.notOk((await names('viewer')).includes('change_issue'))
  t.notOk((await names('none')).includes('change_issue'))
})

t.test('changes of an issue return the status codes in the table, by role', async (t) => {
  for (const [name, [fields, statuses]] of Object.entries(CHANGES))
    for (const [index, person] of PEOPLE.entries()) {
      const { issue, ...others } = fields
      const version = (await app.inbox!.queries.getIssue({ id: 1 })).version
      const form = { ...others, ...(issue && { issue: `1:${version}` }) }
      const { statusCode } = await visitors[person].post('/inbox/issues/1', form)
      t.equal(statusCode, statuses[index], `${name} for ${person}`)
    }
})

t.test('a person with a role in one project', async (t) => {
  const { other: otto } = visitors
  t.test('changes its issues, and cannot see other projects', async (t) => {
    const { body } = await otto.get('/inbox/issues?range=30d&q=')
    t.match(body, `data-row="${other}"`)
    t.equal((await otto.post(`/inbox/issues/${other}`, { do: 'comment', text: 'Mine' })).statusCode, 303)
    for (const url of ['/inbox', '/inbox/issues?q=&range=30d', '/inbox/settings', '/inbox/releases', '/inbox/traces'])
      t.notMatch((await otto.get(url)).body, /\bShop\b/, url)
  })

  t.test('cannot change an issue of another project together with an own one', async (t) => {
    const before = await app.inbox!.queries.getIssue({ id: 2 })
    const { version } = await app.inbox!.queries.getIssue({ id: other })
    const body = new URLSearchParams([
      ['do', 'resolve'],
      ['issue', `${other}:${version}`],
      ['issue', `2:${before.version}`]
    ])
    await otto.ask({
      method: 'POST',
      url: '/inbox/issues',
      payload: body.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
    })
    t.equal((await app.inbox!.queries.getIssue({ id: other })).state, 'resolved')
    t.equal((await app.inbox!.queries.getIssue({ id: 2 })).version, before.version)
  })

  t.test('finds ids and words of its project only', async (t) => {
    const { row } = await app.inbox!.queries.getEvent({ id: 2 })
    for (const q of [row.eventId, trace, '%232']) {
      const { statusCode, headers } = await otto.get(`/inbox/issues?q=${q}`)
      t.same([statusCode, headers.location], [200, undefined], q)
    }
    const api = tokens.get('other')!
    t.same(
      (await api('/projects')).json().projects.map(({ id }: { id: number }) => id),
      [2]
    )
    const { issues } = (await api('/issues?query=&range=30d')).json()
    t.ok(issues.length > 0)
    t.ok(issues.every(({ project }: { project: number }) => project === 2))
  })

  t.test('can change the project, but cannot remove it or create another', async (t) => {
    t.equal((await otto.post('/inbox/settings/projects/2', { intent: 'rename', name: 'Jobs' })).statusCode, 303)
    t.equal((await otto.post('/inbox/settings/projects/2', { intent: 'remove' })).statusCode, 403)
    t.equal((await otto.post('/inbox/settings', { name: 'Another' })).statusCode, 403)
  })
})

t.test('a member sees and revokes only own tokens', async (t) => {
  const { member: mia } = visitors
  const { body } = await mia.get('/inbox/settings/tokens')
  t.equal(body.match(/name="id"/g)?.length, 1)
  const before = await app.inbox!.queries.listTokens()
  const foreign = before.find(({ person }) => person !== 'Mia')!
  await mia.post('/inbox/settings/tokens', { intent: 'revoke', id: foreign.id })
  t.equal((await app.inbox!.queries.listTokens()).length, before.length)
})

t.test('roles on the page of a person', async (t) => {
  const page = `/inbox/settings/people/${idOf('Vera')}`
  t.test('are changed together, and are in the audit log', async (t) => {
    const saved = await admin.post(page, { intent: 'roles', role: 'none', 'project-1': 'member', 'project-2': '' })
    t.equal(saved.statusCode, 303)
    t.match(
      (await app.inbox!.queries.listPeople()).find(({ name }) => name === 'Vera'),
      { role: 'none', projects: { 1: 'member' } }
    )
    const { body } = await admin.get('/inbox/settings/audit')
    t.match(body, 'Shop: as for all projects → member')
    t.equal((await visitors.viewer.get('/inbox/issues/1')).statusCode, 404, 'the issue was deleted')
    t.equal((await visitors.viewer.get('/inbox/issues/2')).statusCode, 200)
    t.equal((await visitors.viewer.get(`/inbox/issues/${other}`)).statusCode, 404)
  })

  t.test('must be valid', async (t) => {
    t.equal((await admin.post(page, { intent: 'roles', role: 'owner' })).statusCode, 422)
    t.equal((await admin.post(page, { intent: 'roles', role: 'viewer', 'project-1': 'owner' })).statusCode, 422)
  })

  t.test('keep the last admin', async (t) => {
    await setRoles('Ada Moreau', 'viewer')
    const own = `/inbox/settings/people/${idOf('Ada')}`
    const refused = await admin.post(own, { intent: 'roles', role: 'member' })
    t.equal(refused.statusCode, 422)
    t.match(refused.body, 'This is the only admin')
  })
})

t.test('an invitation can be for one project', async (t) => {
  const pia = await acceptInvitation(app, admin, 'member', 'Pia', 2)
  t.equal((await pia.get(`/inbox/issues/${other}`)).statusCode, 200)
  t.equal((await pia.get('/inbox/issues/2')).statusCode, 404)
})

t.test('a role in a project that was removed gives no access', async (t) => {
  await setRoles('Vera', 'viewer', { 2: 'none' })
  await app.inbox!.changes.removeProject({ id: 2 })
  const refused = await visitors.other.get('/inbox')
  t.equal(refused.statusCode, 403)
  t.match(refused.body, 'You have no role in any project of the inbox.')
  t.equal((await visitors.viewer.get(`/inbox/issues/${other}`)).statusCode, 404, 'hidden projects stay hidden')
})
