import t from 'tap'
import { changes, type Changes } from '../../src/mutations/index.ts'
import type { AuditKind } from '../../src/web/audit-words.ts'
import { openSeedStore, seedShowcase } from '../../src/seed/index.ts'
import { createToken as createHash } from '../../src/access/tokens.ts'
import type { Store } from '../../src/store/store.ts'

/*
 * Every change by a person or a token has an entry in the audit log or in the activity of its issue. The names come
 * from the source code: the test fails for a new mutation that is not listed here. test/access/audit-routes.test.ts
 * lists the forms.
 */

const store = openSeedStore()
seedShowcase(store)
t.teardown(() => store.close())
const ME = store.insert("INSERT INTO person (name, role, created) VALUES ('Me', 'admin', 1)")
const ANN = store.insert("INSERT INTO person (name, role, password, created) VALUES ('Ann', 'admin', 'hash', 1)")

const by = ME
const who = ME
const now = Date.now()
const session = () => ({ hash: createHash(), at: now })
const newest = (table: string) => store.get<{ id: number }>(`SELECT coalesce(max(id), 0) AS id FROM ${table}`)!.id
const invite = (over: object = {}) => {
  const hash = createHash()
  changes.createInvitation(store, { hash, role: 'viewer', madeBy: ME, expires: now + 1e6, ...over })
  return hash
}
const CHANNEL = {
  name: 'Team',
  target: 'https://a.invalid/',
  groupMinutes: 0,
  quietFrom: '',
  quietUntil: '',
  zone: 'UTC'
}
const THRESHOLD = { kind: 'spike', bound: 5, minimum: 50, channel: 1, tellsEnd: true } as const
const UPLOAD = { projects: [1, 2], by, token: 'CI' }

type Input<Name extends keyof Changes> = Parameters<Changes[Name]>[0]
type Trials = {
  [Name in keyof Changes]?: [input: () => Input<Name>, kind: AuditKind, detail?: string, actor?: number | null]
}

/** Changes with an entry in the audit log, in an order in which each finds the data that it changes. */
const AUDITED = {
  createProject: [() => ({ name: 'Tea', by }), 'project-created', 'Tea'],
  renameProject: [() => ({ id: newest('project'), name: 'Coffee', by }), 'project-renamed', 'Tea → Coffee'],
  setRepository: [
    () => ({ id: newest('project'), repository: { host: 'github', url: 'https://github.com/a/b' }, by }),
    'repository-set',
    'Coffee: https://github.com/a/b'
  ],
  renewKey: [() => ({ id: newest('project'), by }), 'project-key-rotated', 'Coffee'],
  removeProject: [() => ({ id: newest('project'), by }), 'project-removed', 'Coffee'],
  deleteIssues: [() => ({ issues: [{ id: 1 }, { id: 2 }], who }), 'issues-deleted', '2: 1, 2'],
  deleteMonitor: [() => ({ id: 1, by }), 'monitor-deleted', 'nightly-invoices'],
  declareRelease: [
    () => ({ version: '9.9', creates: true, at: now, ...UPLOAD }),
    'release-declared',
    '9.9 · Shop, Workers · token CI'
  ],
  addDeploy: [
    () => ({ version: '9.9', environment: 'production', finished: now, ...UPLOAD }),
    'release-deployed',
    '9.9 · production · Shop, Workers · token CI'
  ],
  endUpload: [
    () => ({ sha1s: [], release: '9.9', maps: 2, ...UPLOAD }),
    'maps-uploaded',
    '9.9 · 2 maps · Shop, Workers · token CI'
  ],
  saveSearch: [
    () => ({ name: 'Bad', query: 'level:fatal', sort: 'last', isShared: true, who }),
    'search-shared',
    'Bad'
  ],
  renameSearch: [() => ({ id: newest('saved_search'), name: 'Worse', who }), 'search-renamed', 'Bad → Worse'],
  removeSearch: [() => ({ id: newest('saved_search'), who }), 'search-removed', 'Worse'],
  signInAdmin: [() => ({ name: 'Me', session: session() }), 'signed-in', 'printed link'],
  signInPerson: [() => ({ person: ANN, password: 'hash', session: session() }), 'signed-in', 'password', ANN],
  signInExternal: [
    () => ({ subject: 'issuer sub', name: 'Ann', role: 'viewer', projects: {}, session: session() }),
    'signed-in',
    'sign-in service',
    ANN + 1
  ],
  withdrawGroupRoles: [() => ({ subject: 'issuer sub' }), 'role-changed', 'viewer → none', null],
  setPassword: [() => ({ id: ME, password: 'other', keep: '' }), 'password-set'],
  renamePerson: [() => ({ id: ME, name: 'Myself' }), 'renamed', 'Me'],
  setRoles: [() => ({ id: ANN, role: 'member', by }), 'role-changed', 'admin → member'],
  createInvitation: [
    () => ({ hash: createHash(), role: 'viewer', project: 2, madeBy: ME, expires: now + 1e6 }),
    'invited',
    'Workers: viewer'
  ],
  revokeInvitation: [() => ({ hash: invite(), by }), 'invitation-revoked'],
  acceptInvitation: [() => ({ hash: invite(), name: 'Pia', session: session() }), 'signed-in', 'invitation', ANN + 2],
  closePersonSession: [
    () => {
      const opened = session()
      changes.signInAdmin(store, { name: 'Myself', session: opened })
      return { hash: opened.hash, by }
    },
    'sessions-ended',
    'one'
  ],
  closePersonSessions: [() => ({ person: ANN, by }), 'sessions-ended'],
  removePerson: [() => ({ id: ANN, by }), 'removed'],
  createToken: [() => ({ hash: createHash(), name: 'CI', scope: 'write', person: ME, at: now }), 'token-created', 'CI'],
  revokeToken: [() => ({ id: newest('api_token'), by }), 'token-revoked', 'CI'],
  createChannel: [() => ({ kind: 'webhook', ...CHANNEL, by }), 'channel-created', 'Team'],
  changeChannel: [
    () => ({ id: newest('alert_channel'), ...CHANNEL, name: 'All', by, now: Date.now() }),
    'channel-changed',
    'Team → All'
  ],
  renewChannelSecret: [() => ({ id: newest('alert_channel'), by }), 'channel-secret-rotated', 'All'],
  unsubscribe: [
    () => {
      store.run("UPDATE alert_channel SET kind = 'mail' WHERE id = ?", newest('alert_channel'))
      const link = store.get<{ id: number; token: string }>(
        'SELECT id, secret AS token FROM alert_channel ORDER BY id DESC'
      )!
      return { ...link, now }
    },
    'channel-unsubscribed',
    'All',
    null
  ],
  resumeChannel: [() => ({ id: newest('alert_channel'), by }), 'channel-resumed', 'All'],
  createRule: [
    () => ({
      project: 1,
      kind: 'new',
      channel: newest('alert_channel'),
      environments: ['production'],
      level: 'error' as const,
      by
    }),
    'rule-created',
    'A new issue appears · Shop · error and above · production · All'
  ],
  removeRule: [
    () => ({ id: newest('alert_rule'), by }),
    'rule-removed',
    'A new issue appears · Shop · error and above · production · All'
  ],
  removeChannel: [() => ({ id: newest('alert_channel'), by }), 'channel-removed', 'All'],
  createThreshold: [() => ({ ...THRESHOLD, project: 1, by }), 'threshold-created'],
  changeThreshold: [() => ({ id: newest('alert_threshold'), ...THRESHOLD, bound: 6, by }), 'threshold-changed'],
  enableThreshold: [() => ({ id: newest('alert_threshold'), isEnabled: false, by }), 'threshold-disabled'],
  removeThreshold: [() => ({ id: newest('alert_threshold'), by }), 'threshold-removed']
} satisfies Trials

/** Changes with an entry in the activity of the issue, which the page of the issue shows. */
const IN_ACTIVITY = {
  resolveIssues: () => ({ issues: [{ id: 3 }], who }),
  ignoreIssues: () => ({ issues: [{ id: 3 }], who }),
  reopenIssues: () => ({ issues: [{ id: 3 }], who }),
  assignIssues: () => ({ issues: [{ id: 3 }], assignee: ME, who }),
  addComment: () => ({ issue: 3, text: 'Seen', who }),
  mergeIssues: () => ({ issues: [{ id: 4 }], into: 3, who }),
  undo: () => ({ activities: [newest('activity')], who }),
  unmergeKey() {
    changes.mergeIssues(store, { issues: [{ id: 4 }], into: 3, who })
    const key = store.get<{ id: number }>('SELECT id FROM issue_key WHERE merged_from = 4')!.id
    return { issue: 3, key, who }
  }
} satisfies { [Name in keyof Changes]?: () => Input<Name> }

/** Changes without an entry, with the reason. */
const UNRECORDED = {
  touchToken: 'time of the last use',
  touchPersonSession: 'time of the last use',
  prepareAlerts: 'work of the server',
  recordAlert: 'work of the server',
  testChannel: 'the delivery log has the message',
  retryAlert: 'the delivery log has the message',
  followIssue: 'the own mails of a person',
  unfollowIssue: 'the own mails of a person',
  renewPasswordFingerprints: 'the secret of the application changed',
  setOwnMail: 'the own mails of a person',
  confirmOwnMail: 'the own mails of a person',
  changeComment: 'the comment says that it was edited',
  removeComment: 'people may take back what they wrote',
  addChunk: 'part of an upload, which endUpload records',
  addUploadedMap: 'part of an upload, which endUpload records'
} satisfies { [Name in keyof Changes]?: string }

const run = (name: string, input: unknown) =>
  (changes as unknown as Record<string, (store: Store, input: unknown) => unknown>)[name]!(store, input)

t.test('each mutation is in one of the lists', async (t) => {
  const listed = [AUDITED, IN_ACTIVITY, UNRECORDED].flatMap((list) => Object.keys(list))
  t.same(listed.sort(), Object.keys(changes).sort())
})

for (const [name, [toInput, kind, detail, actor = ME]] of Object.entries<NonNullable<Trials[keyof Changes]>>(AUDITED))
  t.test(`${name} writes to the audit log`, async (t) => {
    const input = toInput()
    const before = newest('audit')
    run(name, input)
    const entries = store.all('SELECT kind, who, detail FROM audit WHERE id > ?', before)
    t.match(entries.at(-1), { kind, who: actor, ...(detail !== undefined && { detail }) })
    t.equal(entries.length, 1)
  })

for (const [name, toInput] of Object.entries(IN_ACTIVITY))
  t.test(`${name} writes to the activity`, async (t) => {
    const input = toInput()
    const before = newest('activity')
    run(name, input)
    t.match(store.get('SELECT who FROM activity WHERE id > ?', before), { who: ME })
  })
