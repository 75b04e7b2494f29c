import t from 'tap'
import { eventually } from '@hull/test-helpers/patience.ts'
import type { operations } from '../../src/api/operations/index.ts'
import { API_ROUTES } from '../../src/api/routes.ts'
import { createToken, openApi } from '../helpers/api.ts'
import { acceptInvitation } from '../helpers/invitation.ts'
import { openScreens } from '../helpers/screens.ts'

const { app, admin } = await openScreens(t)
t.teardown(() => app.close())
const reader = await createToken(admin, 'read')
const read = openApi(app, reader)
const write = openApi(app, await createToken(admin, 'write'))

t.test('a token', async (t) => {
  t.test('is required, whatever the client accepts', async (t) => {
    for (const accept of ['*/*', 'text/html', 'application/json']) {
      const refused = await app.inject({ url: '/inbox/api/issues', headers: { accept } })
      t.equal(refused.statusCode, 401)
      t.equal(refused.headers['www-authenticate'], 'Bearer')
      t.match(refused.headers['content-type'], 'application/problem+json')
      t.equal(refused.json().code, 'APP_INBOX_TOKEN_MISSING')
    }
  })

  t.test('cannot be replaced with a session', async (t) => {
    t.equal((await admin.get('/inbox/api/issues')).statusCode, 401)
  })

  t.test('is refused if it is unknown or malformed', async (t) => {
    for (const token of ['x', `hull_${'x'.repeat(43)}`, `hull_${'x'.repeat(10_000)}`, reader.slice(0, -1)]) {
      const refused = await openApi(app, token)('/issues')
      t.equal(refused.statusCode, 401)
      t.equal(refused.json().code, 'APP_INBOX_TOKEN_INVALID')
    }
  })

  t.test('is refused when it is revoked, and when its person is removed', async (t) => {
    const revoked = openApi(app, await createToken(admin, 'read', 'Revoked'))
    t.equal((await revoked('/projects')).statusCode, 200)
    const { body } = await admin.get('/inbox/settings/tokens')
    const [, id] = /name="id" value="(\d+)"/.exec(body)!
    await admin.post('/inbox/settings/tokens', { intent: 'revoke', id: id! })
    t.equal((await revoked('/projects')).json().code, 'APP_INBOX_TOKEN_INVALID')

    const bea = await acceptInvitation(app, admin, 'admin', 'Bea')
    const hers = openApi(app, await createToken(bea, 'write', 'Of Bea'))
    const page = /\/inbox\/settings\/people\/\d+(?=">[^/]*Bea)/.exec(
      (await admin.get('/inbox/settings/people')).body
    )![0]
    await admin.post(page, { intent: 'roles', role: 'viewer' })
    t.equal(
      (await hers('/issues/1', change('resolved'))).json().code,
      'APP_INBOX_TOKEN_READ_ONLY',
      'with the role of its person'
    )
    t.equal((await hers('/issues/1')).statusCode, 200)
    await admin.post(page, { intent: 'remove' })
    t.equal((await hers('/projects')).json().code, 'APP_INBOX_TOKEN_INVALID')
  })

  t.test('has the time of its last use, even after the clock was set back', async (t) => {
    const id = (await app.inbox!.queries.listTokens()).find(({ name }) => name === 'A program that can read')!.id
    const lastUsed = async () => (await app.inbox!.queries.listTokens()).find((token) => token.id === id)!.lastUsed!
    const late = Date.now() + 60 * 60_000
    await app.inbox!.changes.touchToken({ id, at: late })
    await read('/projects')
    await t.resolves(eventually(async () => (await lastUsed()) < late))
  })

  t.test('is shown to nobody else, and its hash to nobody', async (t) => {
    const cem = await acceptInvitation(app, admin, 'admin', 'Cem')
    const { body } = await cem.get('/inbox/settings/tokens')
    t.match(body, 'A program that can read')
    t.notMatch(body, /hull_[\w-]{43}/)
    t.notMatch((await cem.get('/-/data/inbox/settings/tokens')).body, /[\da-f]{64}/)
  })

  t.test('needs a name and a scope', async (t) => {
    const visitor = await acceptInvitation(app, admin, 'admin', 'Dan')
    for (const fields of [
      { name: '', scope: 'read' },
      { name: 'x', scope: 'all' }
    ])
      t.equal((await visitor.post('/inbox/settings/tokens', { intent: 'create', ...fields })).statusCode, 422)
  })

  t.test('can send 100 requests at once, and then receives Retry-After', async (t) => {
    const flood = openApi(app, await createToken(await acceptInvitation(app, admin, 'admin', 'Eve'), 'read', 'Flood'))
    const statuses = await Promise.all(Array.from({ length: 110 }, () => flood('/projects')))
    const refused = statuses.find(({ statusCode }) => statusCode === 429)!
    t.equal(refused.json().code, 'APP_INBOX_TOKEN_TOO_MANY')
    t.ok(Number(refused.headers['retry-after']) >= 1)
    t.equal((await read('/projects')).statusCode, 200, 'others are not affected')
  })

  t.test('can send 100 requests for many rows at once, and pages still respond', async (t) => {
    const flood = openApi(app, await createToken(admin, 'read', 'Many rows'))
    const requests = Array.from({ length: 100 }, () => flood('/traces?range=30d'))
    t.equal((await admin.get('/inbox/traces')).statusCode, 200)
    const statuses = (await Promise.all(requests)).map(({ statusCode }) => statusCode)
    t.same([...new Set(statuses)], [200])
  })
})

const change = (state: string, over: object = {}) => ({ method: 'PATCH' as const, payload: { state, ...over } })

t.test('issues', async (t) => {
  t.test('are listed by the search of the inbox, in pages', async (t) => {
    const path = `/issues?query=${encodeURIComponent('is:unresolved side:browser')}&range=30d&limit=2`
    const first = (await read(path)).json()
    t.equal(first.issues.length, 2)
    t.ok(first.total > 2)
    t.match(first.issues[0], {
      id: Number,
      title: String,
      side: 'browser',
      lastSeen: /^\d{4}-.*Z$/,
      url: /\/inbox\/issues\/\d+$/
    })
    const next = (await read(`${path}&cursor=${first.next}`)).json()
    t.notSame(next.issues[0].id, first.issues[0].id)
  })

  t.test('are not sent again if the ETag matches', async (t) => {
    const { headers } = await read('/issues/1')
    const again = await read('/issues/1', { headers: { 'if-none-match': String(headers.etag) } })
    t.equal(again.statusCode, 304)
    t.equal(again.body, '')
    await write('/issues/1/comments', { method: 'POST', payload: { text: 'Something new' } })
    t.equal((await read('/issues/1', { headers: { 'if-none-match': String(headers.etag) } })).statusCode, 200)
  })

  t.test('are resolved, ignored and reopened, in the name of the person', async (t) => {
    const { version } = (await read('/issues/2')).json()
    t.equal((await read('/issues/2', change('resolved'))).json().code, 'APP_INBOX_TOKEN_READ_ONLY')
    const resolved = (await write('/issues/2', change('resolved', { version }))).json()
    t.match(resolved, { state: 'resolved', activity: [{ kind: 'resolved', person: 'Ada' }] })
    t.equal((await write('/issues/2', change('unresolved', { version }))).json().code, 'APP_INBOX_ISSUE_CHANGED')
    t.equal((await write('/issues/2', change('unresolved'))).json().state, 'unresolved')
    t.match((await write('/issues/2', change('ignored', { events: 10 }))).json(), {
      state: 'ignored',
      activity: [{ data: { events: 10 } }]
    })
    const past = change('ignored', { until: '2001-01-01T00:00:00Z' })
    await write('/issues/2', change('unresolved'))
    const until = new Date(Date.now() + 86_400_000).toISOString()
    await write('/issues/2', change('ignored', { events: 10, until }))
    const { body } = await admin.get('/inbox/issues/2')
    t.match(body, /Ignored<\/span><\/span><span>until 10 more events or <time/)
    t.match(body, /ignored this issue(<!-- -->)? until 10 more events or <time/)
    await write('/issues/2', change('unresolved'))
    t.equal((await write('/issues/2', past)).json().code, 'APP_INBOX_IGNORE_INVALID')
  })

  t.test('have comments, which the page shows as text', async (t) => {
    const text = '<img src=x onerror=alert(1)>\nSee **the log**.'
    const comment = (await write('/issues/3/comments', { method: 'POST', payload: { text } })).json()
    t.match(comment, { id: Number, person: 'Ada', text })
    t.same((await read('/issues/3/comments')).json(), { comments: [comment] })
    const second = (await write('/issues/3/comments', { method: 'POST', payload: { text: 'Later' } })).json()
    const { comments, next } = (await read('/issues/3/comments?limit=1')).json()
    t.same(comments, [second])
    t.same((await read(`/issues/3/comments?limit=1&cursor=${next}`)).json(), { comments: [comment] })
    const path = `/issues/3/comments/${comment.id}`
    const edited = (await write(path, { method: 'PATCH', payload: { text: 'See the log' } })).json()
    t.same(edited, { ...comment, text: 'See the log' })
    const typed = { method: 'DELETE', headers: { 'content-type': 'application/json' } } as const
    t.equal((await write(`/issues/3/comments/${second.id}`, typed)).statusCode, 200)
    t.same((await read('/issues/3/comments')).json(), { comments: [edited] })
    t.equal(
      (await write(`/issues/2/comments/${comment.id}`, { method: 'DELETE' })).statusCode,
      404,
      'a comment of another issue'
    )
    await write(path, { method: 'PATCH', payload: { text } })
    t.equal((await read('/issues/9999/comments')).statusCode, 404)
    const { body } = await admin.get('/inbox/issues/3')
    t.match(body, '&lt;img src=x onerror=alert(1)&gt;')
    for (const [wrong, status] of [
      ['', 422],
      ['x'.repeat(10_001), 422],
      ['x'.repeat(200_000), 413]
    ] as const)
      t.equal((await write('/issues/3/comments', { method: 'POST', payload: { text: wrong } })).statusCode, status)
    t.equal((await write('/issues/9999/comments', { method: 'POST', payload: { text } })).statusCode, 404)
  })

  t.test('have comments that only their authors change', async (t) => {
    const fay = await acceptInvitation(app, admin, 'member', 'Fay')
    const { id } = (await write('/issues/3/comments', { method: 'POST', payload: { text: 'By Ada' } })).json()
    const path = `/issues/3/comments/${id}`
    const hers = openApi(app, await createToken(fay, 'write', 'Of Fay'))
    for (const request of [{ method: 'PATCH', payload: { text: 'By Fay' } }, { method: 'DELETE' }] as const)
      t.equal((await hers(path, request)).json().code, 'APP_INBOX_COMMENT_FOREIGN')
    t.match((await read('/issues/3/comments?limit=1')).json(), { comments: [{ id, text: 'By Ada' }] })
  })

  t.test('are followed by the person of the token', async (t) => {
    const follow = (following: boolean) =>
      write('/issues/4/following', { method: 'PATCH', payload: { following } }).then((response) => response.json())
    t.same(await follow(true), { following: true })
    t.match((await admin.get('/inbox/issues/4')).body, 'value="unfollow"')
    t.same(await follow(false), { following: false })
    t.match((await admin.get('/inbox/issues/4')).body, 'value="follow"')
    t.equal((await write('/issues/9999/following', { method: 'PATCH', payload: { following: true } })).statusCode, 404)
  })

  t.test('are found by own and shared saved searches', async (t) => {
    const gus = await acceptInvitation(app, admin, 'member', 'Gus')
    const his = openApi(app, await createToken(gus, 'read', 'Of Gus'))
    const ada = (await app.inbox!.queries.listPeople()).find(({ name }) => name === 'Ada')!
    for (const [name, shared] of [
      ['Mine', false],
      ['For all', true]
    ] as const)
      await app.inbox!.changes.saveSearch({ name, query: 'is:new', sort: 'last', isShared: shared, who: ada.id })
    const list = async (ask: typeof read) => (await ask('/searches')).json().searches as { name: string }[]
    t.match(
      (await list(read)).find(({ name }) => name === 'For all'),
      { id: Number, query: 'is:new', sort: 'last', shared: true }
    )
    t.match(
      (await list(read)).find(({ name }) => name === 'Mine'),
      { shared: false }
    )
    const names = (await list(his)).map(({ name }) => name)
    t.ok(names.includes('For all'))
    t.notOk(names.includes('Mine'))
  })

  t.test('have events with their details', async (t) => {
    const { events } = (await read('/issues/1/events?limit=1')).json()
    t.match(events, [{ id: /^[\da-f]{32}$/, at: String }])
    const event = (await read('/issues/1/events/latest')).json()
    t.match(event, { detail: { exceptions: Array }, feedback: Array })
    t.equal((await read('/issues/1/events/unknown')).statusCode, 404)
    t.equal((await read('/issues/9999/events')).statusCode, 404)
  })
})

t.test('an issue that was merged into another is not found, and the message says why', async (t) => {
  const [person] = await app.inbox!.queries.listPeople()
  await app.inbox!.changes.mergeIssues({ issues: [{ id: 5 }, { id: 6 }], into: 6, who: person!.id })
  const gone = await read('/issues/5')
  t.equal(gone.statusCode, 404)
  t.match(gone.json(), { code: 'APP_INBOX_ISSUE_NOT_FOUND', detail: /merged into another/ })
})

t.test('a time range can end in the far future', async (t) => {
  const idsOf = async (range: string) => {
    const { issues } = (await read(`/issues?${range}&limit=100`)).json<{ issues: { id: number }[] }>()
    return issues.map(({ id }) => id).sort()
  }
  const since = new Date(Date.now() - 30 * 86_400_000).toISOString()
  const ids = await idsOf(`since=${since}`)
  t.ok(ids.length > 0)
  t.same(await idsOf(`since=${since}&until=2099-01-01T00:00:00Z`), ids)
  const day = await idsOf('range=24h')
  const future = await idsOf('until=2099-01-01T00:00:00Z')
  t.ok(day.length > 0 && day.every((id) => future.includes(id)), 'without a start')
})

t.test('traces and releases are listed and read', async (t) => {
  const { traces } = (await read('/traces?range=30d&limit=1')).json()
  t.match(traces, [{ traceId: /^[\da-f]{32}$/, duration: Number }])
  const trace = (await read(`/traces/${traces[0].traceId}`)).json()
  t.match(trace.spans[0], { name: String, depth: 0, offset: Number })
  t.equal((await read(`/traces/${'f'.repeat(32)}`)).statusCode, 404)
  t.match((await read('/releases?range=30d&limit=1')).json(), { releases: [{ version: String, newIssues: Number }] })
})

t.test('releases of the same version have their project', async (t) => {
  await app.inbox!.changes.declareRelease({ version: '7.0', projects: [1, 2], creates: true, at: Date.now() })
  const { releases } = (await read('/releases?release=7.0')).json<{ releases: { project: number }[] }>()
  t.same(releases.map(({ project }) => project).sort(), [1, 2])
})

t.test('the error for an invalid request names the parameter', async (t) => {
  for (const [path, parameter] of [
    ['/issues?limit=0', 'limit: Too small'],
    ['/issues?limit=1000', 'limit: Too big'],
    ['/issues?limit=many', 'limit'],
    ['/issues?range=year', 'range'],
    ['/issues?since=yesterday', 'since'],
    ['/issues?colour=red', 'colour'],
    ['/issues/x', 'id'],
    ['/traces/short', 'traceId'],
    ['/issues?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z', 'since'],
    ['/issues?sort=last&sort=first', 'sort']
  ] as const) {
    const refused = await read(path)
    t.equal(refused.statusCode, 400, path)
    t.equal(refused.json().code, 'APP_INBOX_REQUEST_INVALID')
    t.match(refused.json().detail, parameter)
    t.notMatch(refused.json().detail, 'NaN')
  }
  t.equal((await read('/issues?query=colour%3Ared%20is%3Ablue')).json().code, 'APP_INBOX_QUERY_INVALID')
  t.equal((await read('/issues?cursor=x')).json().code, 'APP_INBOX_CURSOR_INVALID')
  for (const [type, payload] of [
    ['text/plain', 'x'],
    ['application/json', '"x"'],
    ['application/json', '[{"state":"resolved"}]'],
    ['application/json', 'null'],
    ['application/json', '{']
  ] as const)
    t.equal(
      (await write('/issues/1', { method: 'PATCH', payload, headers: { 'content-type': type } })).statusCode,
      400,
      payload
    )
  t.equal((await write('/issues/1', { method: 'PATCH' })).statusCode, 400)
  t.equal((await read('/nothing')).statusCode, 404)
  t.equal((await read('/issues', { method: 'DELETE' })).statusCode, 404)
})

t.test('openapi.json describes each operation', async (t) => {
  const description = (await read('/openapi.json')).json() as {
    paths: Record<string, Record<string, { operationId: keyof typeof operations }>>
  }
  const described = Object.values(description.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId)
  )
  t.same(described.sort(), Object.keys(API_ROUTES).sort())
  t.match(description.paths['/issues'], {
    get: { parameters: [{ name: 'project', in: 'query', required: false, schema: { type: 'integer' } }] }
  })
  t.match(description.paths['/issues/{id}'], {
    patch: { requestBody: { content: { 'application/json': { schema: { required: ['state'] } } } } }
  })
})

t.test('without an inbox, the API is not found', async (t) => {
  const { createTestApp } = await import('@hull/test-helpers/app.ts')
  const { app } = await createTestApp(t, { env: { INBOX: 'off' } })
  t.equal((await app.inject('/inbox/api/issues')).statusCode, 404)
})
