import t from 'tap'
import { createToken, openApi } from '../../helpers/api.ts'
import { acceptInvitation } from '../../helpers/invitation.ts'
import { issueIn, openScreens, sendEvents, thrown } from '../../helpers/screens.ts'

const { app, admin } = await openScreens(t, { isEmpty: true })
await sendEvents(app, [thrown('FirstError', 'one'), thrown('SecondError', 'two')])
const mia = await acceptInvitation(app, admin, 'member', 'Mia <b>')
const vera = await acceptInvitation(app, admin, 'viewer', 'Vera')
const { queries, changes } = app.inbox!
await acceptInvitation(app, admin, 'viewer', 'Pia', (await changes.createProject({ name: 'Tea' })).id)
const idOf = async (name: string) => (await queries.listPeople()).find((person) => person.name === name)!.id
const list = async (q: string, visitor = admin) =>
  (await visitor.get(`/inbox/issues?${new URLSearchParams({ q })}`)).body
const all = await list('')
const first = issueIn(all, 'FirstError')
const second = issueIn(all, 'SecondError')
const page = `/inbox/issues/${first}`
const titlesIn = (html: string) => ['FirstError', 'SecondError'].filter((title) => html.includes(`<bdi>${title}</bdi>`))
const post = (what: string, issues: number[], visitor = admin) =>
  visitor.post(issues.length === 1 ? page : '/inbox/issues', { do: what, issue: `${issues[0]}:0` })

t.test('an issue is assigned to oneself and to others on its page', async (t) => {
  const { headers } = await post('assign-me', [Number(first)], mia)
  t.match((await mia.get(String(headers.location))).body, /1 issue assigned\..*Undo/s)
  const { body } = await admin.get(page)
  t.match(body, 'assigned to <bdi>Mia &lt;b&gt;</bdi>')
  t.match(body, /Mia &lt;b&gt;<\/bdi><\/b>.{0,20}assigned this issue to.{0,20}<bdi>Mia/s)
  await post(`assign-${await idOf('Vera')}`, [Number(first)])
  t.match((await admin.get(page)).body, 'assigned to <bdi>Vera</bdi>')
  t.match(await list(''), /FirstError.*<bdi>Vera<\/bdi>/s, 'the list shows it')
})

t.test('a search finds the issues of each person', async (t) => {
  t.same(titlesIn(await list('assigned:me', vera)), ['FirstError'])
  t.same(titlesIn(await list('assigned:me')), [])
  t.same(titlesIn(await list('assigned:vera')), ['FirstError'])
  t.same(titlesIn(await list('assigned:none')), ['SecondError'])
  t.same(titlesIn(await list('-assigned:me', vera)), ['SecondError'])
  t.same(titlesIn(await list('assigned:me assigned:none', vera)), ['FirstError', 'SecondError'])
  t.same(titlesIn(await list('assigned:nobody-with-this-name')), [])
  const suggested = (await admin.get('/inbox/suggestions?text=assigned:')).json<{ texts: string[] }>().texts
  t.match(suggested.slice(0, 2), ['assigned:me ', 'assigned:none '])
  t.ok(suggested.includes('assigned:Vera '))
})

t.test('several issues are assigned at once in the list', async (t) => {
  const body = new URLSearchParams([['do', 'assign-me'], ...[first, second].map((id) => ['issue', `${id}:0`])])
  const { statusCode } = await admin.ask({
    method: 'POST',
    url: '/inbox/issues',
    payload: String(body),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  })
  t.equal(statusCode, 303)
  t.same(titlesIn(await list('assigned:me')), ['FirstError', 'SecondError'])
  await post('assign-none', [Number(first)])
  t.same(titlesIn(await list('assigned:me')), ['SecondError'])
})

t.test('only members assign issues, and only to people who can read the project', async (t) => {
  t.equal((await post('assign-me', [Number(first)], vera)).statusCode, 403)
  t.notMatch((await vera.get(page)).body, 'assign-me')
  t.notMatch((await admin.get(page)).body, '<bdi>Pia</bdi>')
  for (const id of [await idOf('Pia'), 9_999]) {
    const { statusCode, body } = await post(`assign-${id}`, [Number(first)])
    t.equal(statusCode, 422)
    t.match(body, 'This person was removed, or has no role in the project of the issue; choose another person.')
  }
  t.equal((await post('assign-everybody', [Number(first)])).statusCode, 422, 'an unknown change is refused')
  t.same(titlesIn(await list('assigned:none')), ['FirstError'])
})

t.test('the API assigns issues', async (t) => {
  const api = openApi(app, await createToken(admin, 'write'))
  const assign = (assignee: string) => api(`/issues/${first}/assignee`, { method: 'PATCH', body: { assignee } })
  t.match((await assign('VERA')).json(), { assignee: 'Vera', activity: [{ kind: 'assigned', data: { to: 'Vera' } }] })
  t.match((await api(`/issues?query=assigned:me`)).json(), { total: 1 })
  t.match((await assign('me')).json(), { assignee: 'Ada' })
  t.notOk('assignee' in (await assign('none')).json())
  t.match(await assign('Somebody'), { statusCode: 422 })
})
