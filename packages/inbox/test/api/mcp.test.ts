import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import t, { type Test } from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { writeIssues } from '../../src/api/texts.ts'
import { createToken } from '../helpers/api.ts'
import { seedFolder } from '../helpers/screens.ts'

const { app, origin } = await createListeningApp(t, { env: seedFolder(t) })
const admin = await signIn(app)
const tokens = { read: await createToken(admin, 'read'), write: await createToken(admin, 'write') }

async function connect(t: Test, token: string) {
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/inbox/api/mcp`), { requestInit }))
  t.teardown(() => client.close())
  const use = async (name: string, given: Record<string, unknown> = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: given })
    return { isError: isError === true, text: (content as { text: string }[]).map(({ text }) => text).join('\n') }
  }
  return { client, use }
}

t.test('an assistant finds an issue, resolves it and comments on it', async (t) => {
  const { client, use } = await connect(t, tokens.write)
  const { tools } = await client.listTools()
  t.match(
    tools.map(({ name }) => name),
    [
      'list_projects',
      'find_issues',
      'change_issue',
      'assign_issue',
      'follow_issue',
      'read_issue',
      'list_tags',
      'list_comments',
      'comment_on_issue',
      'list_searches',
      'find_traces',
      'read_trace',
      'list_releases',
      'list_feedback'
    ]
  )
  t.match(
    tools.find(({ name }) => name === 'find_issues'),
    {
      annotations: { readOnlyHint: true },
      inputSchema: { properties: { query: { type: 'string' } } }
    }
  )
  const { text: releases } = await use('list_releases', { range: '30d' })
  t.match(releases, /^- \S+ of project \d+, since .* new issues?, \d+ regressions?/m)

  const { text: found } = await use('find_issues', { query: 'is:unresolved', range: '30d', limit: 3 })
  const [, id] = /^- #(\d+) /m.exec(found)!
  const { text: issue } = await use('read_issue', { id: Number(id), event: 'latest' })
  t.match(issue, /^# /)
  t.match(issue, '## Stack')
  const [, traceId] = /Trace: `(\w{32})`/.exec(issue) ?? []
  if (traceId !== undefined) t.match((await use('read_trace', { traceId })).text, `# Trace ${traceId}`)

  t.match((await use('assign_issue', { id: Number(id), assignee: 'me' })).text, '"assignee":"Ada"')
  t.match((await use('find_issues', { query: 'assigned:me', range: '30d' })).text, `#${id} `)
  t.match((await use('follow_issue', { id: Number(id), following: true })).text, '"following":true')
  await use('comment_on_issue', { id: Number(id), text: 'Fixed by a test.' })
  t.match((await use('list_comments', { id: Number(id) })).text, 'Fixed by a test.')
  t.match((await use('change_issue', { id: Number(id), state: 'resolved' })).text, '"state":"resolved"')
  t.match((await admin.get(`/inbox/issues/${id}`)).body, 'resolved this issue')
  t.match((await use('find_traces', { range: '30d', sort: 'slowest', limit: 2 })).text, / ms, /)
})

t.test('a token for reading has only tools that read', async (t) => {
  const { client, use } = await connect(t, tokens.read)
  const { tools } = await client.listTools()
  t.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true))
  t.ok(tools.length > 4)
  await t.rejects(use('change_issue', { id: 1, state: 'resolved' }))
})

t.test('an assistant receives errors as text', async (t) => {
  const { use } = await connect(t, tokens.read)
  t.match(await use('read_issue', { id: 9999, event: 'latest' }), { isError: true, text: /does not exist/ })
  t.match(await use('read_issue', {}), { isError: true, text: /a whole number is needed/ })
  t.match(await use('find_issues', { query: 'is:blue' }), { isError: true, text: /search is invalid/ })
  t.match(await use('find_issues', { limit: 1000 }), { isError: true, text: /limit: .*<=100/ })
  t.match(await use('find_issues', { search: 'is:regressed' }), { isError: true, text: /"search"/ })
})

t.test('a client without a valid token is refused', async (t) => {
  await t.rejects(connect(t, 'x'))
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${tokens.read}` }
  for (const [payload, status] of [
    ['{', 400],
    ['[]', 400],
    [`"${'x'.repeat(200_000)}"`, 413]
  ] as const) {
    const response = await fetch(`${origin}/inbox/api/mcp`, { method: 'POST', headers, body: payload })
    t.equal(response.status, status)
    await response.text()
  }
  t.equal((await fetch(`${origin}/inbox/api/mcp`, { headers })).status, 405)
})

t.test('numbers have the right noun, and a total above the limit is shown as "9,999+"', async (t) => {
  const { use } = await connect(t, tokens.read)
  const { text } = await use('find_issues', { query: 'QuotaExceededError', range: '30d' })
  t.match(text, /^1 issue\.\n/)
  const issue = { title: 'x', culprit: '', state: 'ignored', eventsInRange: 1, visitors: 1 }
  t.match(
    writeIssues({ issues: [issue], total: 10_000 }),
    /^9,999\+ issues\.[^]*: ignored, 1 event in the range, 1 visitor, /
  )
})

t.test(
  'the list of issues leaves out an empty location, and does not say that the last event was in the newest release',
  async (t) => {
    const issue = { id: 7, title: 'x', url: '/7', state: 'new', eventsInRange: 1, visitors: 1, lastSeen: 'today' }
    const list = (over: object) => writeIssues({ issues: [{ ...issue, ...over }], total: 1 })
    t.match(list({ culprit: '' }), '- #7 [x](/7): new, 1 event in the range, 1 visitor, last today')
    t.match(
      list({ culprit: 'a.ts:f', lastRelease: '2.0' }),
      '(/7) at a.ts:f: new, 1 event in the range, 1 visitor, last today; newest release 2.0'
    )
  }
)

t.test('each message of a batch counts as a request', async (t) => {
  const token = await createToken(admin, 'read', 'Batches')
  const send = async (messages: number) => {
    const call = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'list_projects', arguments: {} } }
    const response = await fetch(`${origin}/inbox/api/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`
      },
      body: JSON.stringify(Array.from({ length: messages }, (_message, id) => ({ ...call, id })))
    })
    return { status: response.status, text: await response.text() }
  }
  t.match(await send(60), { status: 200, text: '"id":59' })
  t.match(await send(60), { status: 429, text: 'APP_INBOX_TOKEN_TOO_MANY' })
})
