import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import t from 'tap'
import { API_ROUTES } from '../../src/api/routes.ts'
import type { AuditKind } from '../../src/web/audit-words.ts'
import { createVisitor } from '../../src/testing.ts'
import { encodeMappings } from '@hull/test-helpers/source-maps.ts'
import { INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { createToken, openApi } from '../helpers/api.ts'
import { bundleOf, chunkForm, sha1Of } from '../helpers/bundle.ts'
import { acceptInvitation, makeInvitation } from '../helpers/invitation.ts'
import { openScreens } from '../helpers/screens.ts'

/*
 * Every form, operation of the API and upload that changes something has an entry with its person in the audit log. The
 * names come from the source code: the test fails for a new one that is not listed here. test/access/audit.test.ts
 * lists the mutations.
 */

const SOURCE = new URL('../../src/', import.meta.url).pathname
const read = (file: string) => readFileSync(join(SOURCE, file), 'utf8')

const { app, admin } = await openScreens(t)
t.teardown(() => app.close())
const { queries } = app.inbox!
const idOf = async (name: string) => (await queries.listPeople()).find((person) => person.name === name)!.id
const secret = await createToken(admin, 'write', 'CI')
const api = openApi(app, secret)
await acceptInvitation(app, admin, 'member', 'Mia')
const mia = await idOf('Mia')
const ada = await idOf('Ada')

type Fields = Record<string, string | number>

/** A form and the kind of its entry; `who` is the author. Functions run immediately before the form is posted. */
type Trial = [
  url: string | (() => Promise<string>),
  fields: Fields | (() => Promise<Fields>),
  kind: AuditKind,
  who?: string
]

const ACTIVITY = 'the activity of the issue has it'
const DELIVERY = 'the delivery log has the message'

const UNSUBSCRIBED = 'test/web/pages/thresholds.test.ts compares it, with a link of a mail'

const CHANNEL = { name: 'Team', kind: 'webhook', target: 'https://a.invalid/', groupMinutes: 0, zone: 'UTC' }
const THRESHOLD = { bound: 5, minimum: 50, channel: 1 }
const ALERTS = '/inbox/settings/alerts'
const SEARCHES = '/inbox/issues/searches'
const latest = <Row extends { id: number }>(rows: readonly Row[]) => Math.max(...rows.map(({ id }) => id))
const search = async () => ({ id: latest(await queries.listSavedSearches({ person: ada })), name: 'Worse' })
const toTea = async () => `/inbox/settings/projects/${latest(await queries.listProjects())}`
const toChannel = async () => `${ALERTS}/${latest(await queries.listChannels())}`
const toThreshold = async () => {
  const rows = await queries.listThresholds({ now: Date.now() })
  return `${ALERTS}/thresholds/${latest(rows.map(({ threshold }) => threshold))}`
}
const firstIssue = async () => ({ do: 'delete', issue: `1:${(await queries.getIssue({ id: 1 })).version}` })
const invitation = async () => {
  await makeInvitation(admin, 'viewer')
  return { hash: (await queries.listInvitations())[0]!.hash }
}
/** Finds a session of the person that is not in `hashes`. */
const session = async (person: number, hashes: readonly string[]) => ({
  hash: (await app.inboxAccess.listSessions(person)).find(({ hash }) => !hashes.includes(hash))!.hash
})

/**
 * Forms by page and intent, in an order in which each finds the data that it changes. A string says why there is no
 * entry.
 */
const FORMS: Record<string, Trial | string> = {
  'settings/index': ['/inbox/settings', { name: 'Tea' }, 'project-created'],
  'settings/projects/[id] rename': [toTea, { name: 'Coffee' }, 'project-renamed'],
  'settings/projects/[id] repository': [toTea, { host: 'github', url: 'https://github.com/a/b' }, 'repository-set'],
  'settings/projects/[id] renew': [toTea, {}, 'project-key-rotated'],
  'settings/projects/[id] remove': [toTea, {}, 'project-removed'],
  'issues/[id]': ACTIVITY,
  'issues/index': ['/inbox/issues', firstIssue, 'issues-deleted'],
  'issues/merge': ACTIVITY,
  'issues/searches save': [`${SEARCHES}?q=level:fatal`, { name: 'Bad', share: 'on' }, 'search-shared'],
  'issues/searches rename': [SEARCHES, search, 'search-renamed'],
  'issues/searches remove': [SEARCHES, search, 'search-removed'],
  'monitors/[id] delete': ['/inbox/monitors/1', {}, 'monitor-deleted'],
  'settings/alerts/index create-channel': [ALERTS, CHANNEL, 'channel-created'],
  'settings/alerts/index create-rule': [ALERTS, { when: 'reopened', project: 2, channel: 1 }, 'rule-created'],
  'settings/alerts/index remove-rule': [ALERTS, { rule: 1 }, 'rule-removed'],
  'settings/alerts/index retry': DELIVERY,
  'settings/alerts/[id] save': [toChannel, CHANNEL, 'channel-changed'],
  'settings/alerts/[id] test': DELIVERY,
  'settings/alerts/[id] retry': DELIVERY,
  'settings/alerts/[id] renew': [toChannel, {}, 'channel-secret-rotated'],
  'settings/alerts/[id] resume': UNSUBSCRIBED,
  'settings/alerts/[id] remove': [toChannel, {}, 'channel-removed'],
  'settings/alerts/thresholds/index': [
    `${ALERTS}/thresholds?kind=spike`,
    { ...THRESHOLD, project: 1 },
    'threshold-created'
  ],
  'settings/alerts/thresholds/[id] save': [toThreshold, { ...THRESHOLD, bound: 6 }, 'threshold-changed'],
  'settings/alerts/thresholds/[id] disable': [toThreshold, {}, 'threshold-disabled'],
  'settings/alerts/thresholds/[id] enable': [toThreshold, {}, 'threshold-enabled'],
  'settings/alerts/thresholds/[id] remove': [toThreshold, {}, 'threshold-removed'],
  'settings/tokens create': ['/inbox/settings/tokens', { name: 'Bot', scope: 'read' }, 'token-created'],
  'settings/tokens revoke': [
    '/inbox/settings/tokens',
    async () => ({ id: latest(await queries.listTokens()) }),
    'token-revoked'
  ],
  'settings/people/index invite': ['/inbox/settings/people', { role: 'viewer' }, 'invited'],
  'settings/people/index revoke': ['/inbox/settings/people', invitation, 'invitation-revoked'],
  'settings/people/[id] roles': [`/inbox/settings/people/${mia}`, { role: 'viewer' }, 'role-changed'],
  'settings/people/[id] let-in': [`/inbox/settings/people/${mia}`, {}, 'invited'],
  'settings/people/[id] close': [`/inbox/settings/people/${mia}`, () => session(mia, []), 'sessions-ended'],
  'settings/people/[id] sign-out': [`/inbox/settings/people/${mia}`, {}, 'sessions-ended'],
  'settings/people/[id] remove': [`/inbox/settings/people/${mia}`, {}, 'removed'],
  'account rename': ['/inbox/account', { name: 'Ada' }, 'renamed'],
  'account close': [
    '/inbox/account',
    async () => {
      const own = await app.inboxAccess.listSessions(ada)
      await signIn(app)
      return session(
        ada,
        own.map(({ hash }) => hash)
      )
    },
    'sessions-ended'
  ],
  'account sign-out-others': ['/inbox/account', {}, 'sessions-ended'],
  'settings/people/index sign-out-everybody': ['/inbox/settings/people', {}, 'sessions-ended'],
  'account mail': 'the own mails of a person',
  'account confirm-mail': 'the own mails of a person',
  'account password': ['/inbox/account', { 'new-password': 'a longer password' }, 'password-set'],
  invitation: [() => makeInvitation(admin, 'viewer'), { name: 'Pia' }, 'signed-in', 'Pia'],
  'sign-in': ['/inbox/sign-in', { name: 'Eve', password: INBOX_PASSWORD }, 'signed-in', 'Eve'],
  'sign-out': 'people end their own session',
  unsubscribe: UNSUBSCRIBED
}

t.test('each form has an entry with the person', async (t) => {
  const pages = readdirSync(join(SOURCE, 'web/pages'), { recursive: true, encoding: 'utf8' })
  const found = pages
    .filter((file) => file.endsWith('.tsx'))
    .flatMap((file) => {
      const [, source] = read(`web/pages/${file}`).split('export async function action(')
      if (source === undefined) return []
      const intents = [...source.matchAll(/intent(?:'\))? [!=]== '([a-z-]+)'/g)].map(([, intent]) => intent)
      const name = file.slice(0, -4)
      return intents.length === 0 ? [name] : intents.map((intent) => `${name} ${intent}`)
    })
  t.same([...new Set(found)].sort(), Object.keys(FORMS).sort(), 'each form is listed')
  for (const [name, trial] of Object.entries(FORMS)) {
    if (typeof trial === 'string') continue
    const [toUrl, toFields, kind, who = 'Ada'] = trial
    const url = typeof toUrl === 'string' ? toUrl : await toUrl()
    const fields = typeof toFields === 'function' ? await toFields() : toFields
    const before = (await queries.listAudit({}))[0]!.id
    const [, intent = ''] = name.split(' ')
    const visitor = who === 'Ada' ? admin : createVisitor(app)
    const { statusCode } = await visitor.post(url, { ...(intent && { intent }), ...fields })
    t.ok(statusCode < 400, `${name}: ${statusCode}`)
    const [entry] = await queries.listAudit({})
    t.match(entry, { kind, who }, name)
    t.ok(entry!.id > before, `${name} is new`)
  }
})

t.test('each upload of a build tool has an entry with the person and the token', async (t) => {
  const body = bundleOf({
    version: 3,
    names: [],
    sources: ['a.ts'],
    sourcesContent: ['1'],
    mappings: encodeMappings([[[0, 0, 0, 0]]])
  })
  const bundle = { checksum: sha1Of(body), chunks: [sha1Of(body)], projects: ['shop'], version: '9.9' }
  const ask = (method: 'POST' | 'PUT', path: string, request: InjectOptions) =>
    app.inject({
      ...request,
      method,
      url: `/api/0/organizations/a${path}`,
      headers: { authorization: `Bearer ${secret}`, ...request.headers }
    })
  const uploads: Record<string, [kind: AuditKind | undefined, send: () => ReturnType<typeof ask>]> = {
    createRelease: [
      'release-declared',
      () => ask('POST', '/releases/', { payload: { version: '9.9', projects: ['shop'] } })
    ],
    updateRelease: [
      'release-declared',
      () => ask('PUT', '/releases/9.9/', { payload: { projects: ['shop'], dateReleased: '2026-11-23T00:00:00Z' } })
    ],
    createDeploy: [
      'release-deployed',
      () => ask('POST', '/releases/9.9/deploys/', { payload: { environment: 'production' } })
    ],
    // A part of an upload. The end of the upload has an entry.
    addChunks: [undefined, () => ask('POST', '/chunk-upload/', chunkForm([body]))],
    assembleBundle: ['maps-uploaded', () => ask('POST', '/artifactbundle/assemble/', { payload: bundle })]
  }
  const routes = [...read('plugins/inbox-uploads.ts').matchAll(/\['(?:POST|PUT|PATCH|DELETE)', .*, '(\w+)'\]/g)]
  const names = new Set(routes.map(([, name]) => name!))
  t.same([...names].sort(), Object.keys(uploads).sort(), 'each route is listed')
  for (const [name, [kind, send]] of Object.entries(uploads)) {
    const before = (await queries.listAudit({}))[0]!.id
    t.ok((await send()).statusCode < 400, name)
    const [entry] = await queries.listAudit({})
    if (kind === undefined) t.equal(entry!.id, before, name)
    else t.match(entry, { kind, who: 'Ada', detail: /^9\.9.*token CI$/ }, name)
  }
})

t.test('each operation of the API that changes something is in the activity of the issue', async (t) => {
  const names = Object.entries(API_ROUTES).flatMap(([name, [method]]) => (method === 'GET' ? [] : [name]))
  t.same(names.sort(), ['addComment', 'assignIssue', 'changeComment', 'changeIssue', 'followIssue', 'removeComment'])
  await api('/issues/3', { method: 'PATCH', body: { state: 'ignored' } })
  await api('/issues/3/assignee', { method: 'PATCH', body: { assignee: 'me' } })
  const { id } = (await api('/issues/3/comments', { method: 'POST', body: { text: 'Seen' } })).json()
  await api(`/issues/3/comments/${id}`, { method: 'PATCH', body: { text: 'Seen twice' } })
  const { activity } = await queries.getIssue({ id: 3 })
  for (const kind of ['ignored', 'assigned', 'commented'])
    t.hasStrict(
      activity.find((row) => row.kind === kind),
      { who: 'Ada' },
      kind
    )
})

t.test('no other route changes something', async (t) => {
  const files = ['routes.ts', ...readdirSync(join(SOURCE, 'plugins')).map((file) => `plugins/${file}`)]
  const changing = /app\.(?:post|put|patch|delete)\(|method: (?:\[?'(?!GET)\w|app\.supportedMethods)/
  t.same(
    files.filter((file) => changing.test(read(file))),
    ['plugins/inbox-intake.ts'],
    'the endpoints for envelopes'
  )
})
