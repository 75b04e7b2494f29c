import t from 'tap'
import type { Suggestions } from '../../../src/queries/issues/suggestions.ts'
import { acceptInvitation } from '../../helpers/invitation.ts'
import { issueIn, openScreens, sendEvents, sendItems, thrown } from '../../helpers/screens.ts'
import { stored } from '@hull/test-helpers/inbox.ts'

const { app, admin } = await openScreens(t, { isEmpty: true })
await sendEvents(
  app,
  ['Mobile Safari', 'Mobile Safari', 'Chrome', 'Say "hi"'].map((shop, index) => ({
    ...thrown('SearchError', 'it is broken'),
    release: `web-1.${index}`,
    environment: index === 0 ? 'staging' : 'production',
    tags: { shop, 'two words': 'x', line: 'a\nb' },
    user: { id: `u${index}` }
  }))
)
const id = issueIn((await admin.get('/inbox/issues')).body, 'SearchError')

const ask = async (text: string, scope: Record<string, string> = {}) =>
  admin.get(`/inbox/suggestions?${new URLSearchParams({ text, ...scope })}`)
const textsOf = async (text: string, scope?: Record<string, string>) =>
  (await ask(text, scope)).json<Suggestions>().texts

t.test('names of filters are suggested', async (t) => {
  t.same(await textsOf('re'), ['release:'])
  t.same(await textsOf('-RE'), ['-release:'])
  t.same((await ask('words le')).json(), { from: 6, texts: ['level:'] })
  t.ok((await textsOf('')).includes('is:'))
  t.same(await textsOf('"re'), [], 'none in quotes')
  t.same(await textsOf('checkout'), [])
})

t.test('only filters for events are suggested for the events of an issue', async (t) => {
  const names = await textsOf('', { issue: String(id) })
  t.ok(names.length > 5)
  for (const name of names) {
    const q = name === 'tag:' ? 'tag:a=b' : `${name}x`
    const { body } = await admin.get(`/inbox/issues/${id}/events?${new URLSearchParams({ q })}`)
    t.notMatch(body, 'finds issues, not the events', name)
  }
  t.notOk(names.includes('is:'))
})

t.test('values are those of stored events, most frequent first', async (t) => {
  const scopes: Record<string, string>[] = [{}, { project: '1' }, { issue: String(id) }]
  for (const scope of scopes) {
    t.same(await textsOf('env:', scope), ['environment:production ', 'environment:staging '])
    t.equal((await textsOf('release:web', scope)).length, 4)
    t.same(await textsOf('release:LAT', scope), ['release:latest '])
    t.same(await textsOf('user:u', scope), ['user:u0 ', 'user:u1 ', 'user:u2 ', 'user:u3 '])
    t.ok((await textsOf('tag:', scope)).includes('tag:"two words"='))
    t.same(await textsOf('tag:sh', scope), ['tag:shop='])
    t.same(
      await textsOf('tag:shop=safari', scope),
      ['tag:shop="Mobile Safari" '],
      'quotes a value, and matches any part of it'
    )
    t.same(await textsOf('-tag:shop="Mob', scope), ['-tag:shop="Mobile Safari" '])
    t.same(await textsOf('tag:shop=hi', scope), [String.raw`tag:shop="Say \"hi\"" `])
    t.same(await textsOf('tag:line=', scope), [], 'a value with a line break cannot be entered')
  }
  t.same(await textsOf('is:re'), ['is:regressed ', 'is:resolved ', 'is:unresolved ', 'is:ignored '])
  t.same(await textsOf('level:fatal'), [], 'the value is complete')
  t.same(await textsOf('nothing:x'), [])
})

t.test('a suggestion can be searched', async (t) => {
  for (const text of [...(await textsOf('tag:shop=')), ...(await textsOf('user:')), ...(await textsOf('first:'))]) {
    const { body } = await admin.get(`/inbox/issues?${new URLSearchParams({ q: text })}`)
    t.notMatch(body, 'query-error', text)
    if (!text.startsWith('first:<')) t.match(body, `<tr data-row="${id}"`, text)
  }
})

t.test('attributes of log lines are suggested', async (t) => {
  const attributes = { path: { type: 'string', value: '/pay' }, shop: { type: 'string', value: 'red one' } }
  const items = [{ timestamp: Date.now() / 1_000, trace_id: 'a'.repeat(32), level: 'info', body: 'paid', attributes }]
  await sendItems(app, [
    [{ type: 'log', item_count: 1, content_type: 'application/vnd.sentry.items.log+json' }, { items }]
  ])
  await stored(app, 'log', 1)
  const logs = { logs: 'yes' }
  t.same(await textsOf('-pat', logs), ['-path='])
  t.same(await textsOf('path=', logs), ['path=/pay '])
  t.same(await textsOf('shop=', logs), [], 'a value with a space cannot be searched')
  t.same(await textsOf('__proto__=', logs), [])
})

t.test('responses', async (t) => {
  t.test('are revalidated, and no shared cache stores them', async (t) => {
    const { headers } = await ask('env:')
    t.equal(headers['cache-control'], 'private, no-cache')
    const again = await admin.ask({
      url: '/inbox/suggestions?text=env:',
      headers: { 'if-none-match': String(headers.etag) }
    })
    t.equal(again.statusCode, 304)
  })

  t.test('require a sign-in, an issue that the person can read, and one short text', async (t) => {
    t.equal((await app.inject('/inbox/suggestions?text=env:')).statusCode, 401)
    t.equal((await ask('env:', { issue: '999' })).statusCode, 404)
    t.equal((await ask('env:', { issue: 'x' })).statusCode, 404)
    t.equal((await admin.get('/inbox/suggestions?text=a&text=b')).statusCode, 404)
    t.same(await textsOf('re'.repeat(600)), [])
  })

  t.test('are limited for each person', async (t) => {
    const vera = await acceptInvitation(app, admin, 'viewer', 'Vera')
    const replies = await Promise.all(
      Array.from({ length: 400 }, () =>
        vera.ask({ url: '/inbox/suggestions?text=r', headers: { accept: 'application/json' } })
      )
    )
    const refused = replies.filter(({ statusCode }) => statusCode !== 200)
    t.ok(refused.length > 0 && refused.length <= 200, `${refused.length} are refused`)
    t.equal(refused[0]?.json<{ code: string }>().code, 'APP_INBOX_TOO_MANY_SUGGESTIONS')
    t.match(refused[0]?.headers['retry-after'], /^\d+$/)
    t.equal((await ask('r')).statusCode, 200)
  })
})
