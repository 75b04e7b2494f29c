import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { INBOX_PASSWORD, signIn, type Visitor } from '@hull/test-helpers/inbox-visitor.ts'
import { acceptInvitation } from '../../helpers/invitation.ts'

const PATH = '/inbox/issues/searches'

/** Creates an application, and signs in an admin with the shared password. */
async function open(t: Test, folder = createFolder(t)) {
  const { app, logs } = await createTestApp(t, { env: { INBOX_PASSWORD, DATA_DIR: folder } })
  const ada = await signIn(app)
  return { app, logs, ada }
}

const save = (who: Visitor, q: string, name: string, rest: Record<string, string> = {}, view = '') =>
  who.post(`${PATH}?${new URLSearchParams({ q })}${view}`, { intent: 'save', name, ...rest })

const menuIn = (html: string) => /Saved searches: .*?<\/details>/s.exec(html)![0]

/** Id of a saved search on the page of saved searches, by its name. */
const idOf = (html: string, name: string) =>
  Number(/name="id" value="(\d+)"/.exec(html.slice(html.indexOf(`<bdi>${name}<`)))![1])

t.test('a search is saved, opened by a link, renamed and removed', async (t) => {
  const { app, ada } = await open(t)
  const mia = await acceptInvitation(app, ada, 'member', 'Mia')
  const vera = await acceptInvitation(app, ada, 'viewer', 'Vera')

  t.test('for the person', async (t) => {
    const saved = await save(mia, 'level:fatal "a b"', 'Worst', {}, '&sort=events&range=7d')
    t.equal(saved.statusCode, 303)
    t.equal(saved.headers.location, '/inbox/issues?q=level%3Afatal+%22a+b%22&sort=events&range=7d')
    const shown = menuIn((await mia.get(saved.headers.location as string)).body)
    t.match(shown, /menu-label"><bdi>Worst</, 'the menu names the search that is shown')
    t.match(
      shown,
      /href="\/inbox\/issues\?q=level%3Afatal\+%22a\+b%22&amp;sort=events&amp;range=7d" aria-current="true"/
    )
    t.match(menuIn((await mia.get('/inbox/issues')).body), />Saved<.*>Worst</s)
    t.notMatch((await vera.get('/inbox/issues')).body, '>Worst<', 'nobody else sees it')
    const id = idOf((await mia.get(PATH)).body, 'Worst')
    t.equal((await vera.post(PATH, { intent: 'remove', id })).statusCode, 422)
    t.equal((await mia.post(PATH, { intent: 'rename', id, name: 'Worst first' })).statusCode, 303)
    t.match(menuIn((await mia.get('/inbox/issues')).body), '>Worst first<')
    t.equal((await mia.post(PATH, { intent: 'remove', id })).headers.location, PATH)
    t.notMatch(menuIn((await mia.get('/inbox/issues')).body), '>Worst first<')
  })

  t.test('for everybody, by members and admins only', async (t) => {
    await save(mia, 'is:regressed', 'Back again', { share: 'on' })
    t.match(menuIn((await vera.get('/inbox/issues')).body), '>Back again<')
    const mine = (await mia.get(PATH)).body
    t.match(mine, '>Everybody<')
    const id = idOf(mine, 'Back again')
    t.notMatch((await vera.get(PATH)).body, 'value="rename"')
    t.equal((await vera.post(PATH, { intent: 'rename', id, name: 'x' })).statusCode, 403)
    t.equal((await vera.post(PATH, { intent: 'remove', id })).statusCode, 403)
    t.notMatch((await vera.get('/inbox/issues')).body, 'name="share"')
    await save(vera, 'is:ignored', 'Quiet', { share: 'on' })
    t.notMatch((await mia.get('/inbox/issues')).body, '>Quiet<', 'a viewer saves only own searches')
    await mia.post(PATH, { intent: 'rename', id, name: 'Regressed' })
    await mia.post(PATH, { intent: 'remove', id })
    const log = (await ada.get('/inbox/settings/audit')).body
    for (const words of ['shared a saved search', 'renamed a shared search', 'removed a shared search'])
      t.match(log, words)
    t.match(log, 'Back again → Regressed')
  })

  t.test('of one project, for people who can read the project', async (t) => {
    await ada.post('/inbox/settings', { intent: 'create', name: 'Other' })
    const other = (await app.inbox!.queries.listProjects()).find(({ name }) => name === 'Other')!.id
    const uma = await acceptInvitation(app, ada, 'viewer', 'Uma', other)
    await save(mia, 'is:new', 'New in own', { share: 'on' }, '&project=1')
    await save(mia, 'is:new', 'New in other', { share: 'on' }, `&project=${other}`)
    const menu = menuIn((await uma.get('/inbox/issues')).body)
    t.match(menu, `href="/inbox/issues?q=is%3Anew&amp;project=${other}"`)
    t.notMatch(menu, 'New in own')
    await save(mia, 'release:own-1', 'In all', { share: 'on' })
    t.match(menuIn((await vera.get('/inbox/issues')).body), '>In all<')
    t.notMatch(menuIn((await uma.get('/inbox/issues')).body), '>In all<', 'the search may name data of other projects')
    t.equal((await save(uma, 'is:new', 'x', {}, '&project=1')).statusCode, 422)
    await save(uma, 'is:new', 'Of the past', {}, `&project=${other}`)
    t.match((await uma.get(PATH)).body, 'Of the past')
    const { id } = (await app.inbox!.queries.listPeople()).find(({ name }) => name === 'Uma')!
    await app.inbox!.changes.setRoles({ id, projects: { [other]: 'none', 1: 'viewer' } })
    t.notMatch((await uma.get(PATH)).body, 'Of the past', 'an own search, after the role in its project was removed')
    t.equal((await save(ada, 'is:new', 'x', {}, '&project=999')).statusCode, 422)
  })

  t.test('and listed by name, whether in upper or lower case', async (t) => {
    const zoe = await acceptInvitation(app, ada, 'member', 'Zoe')
    for (const name of ['beta', 'Zoo', 'Alps']) await save(zoe, 'is:new', name)
    const names = menuIn((await zoe.get('/inbox/issues')).body).matchAll(/<bdi>(Alps|beta|Zoo)</g)
    t.same(
      Array.from(names, ([, name]) => name),
      ['Alps', 'beta', 'Zoo']
    )
  })
})

t.test('a search that cannot be saved is refused with a message that says why', async (t) => {
  const { app, ada } = await open(t)
  const vera = await acceptInvitation(app, ada, 'viewer', 'Vera')
  await save(vera, 'level:fatal', 'Worst')
  const refused = async (q: string, name: string, why: RegExp | string) => {
    const { statusCode, body } = await save(vera, q, name)
    t.equal(statusCode, 422)
    t.match(body, why)
  }
  await refused('level:error', 'WORST', 'Another saved search has this name; choose another name')
  await refused('level:error', ' \u200B ', 'enter a name of 1 to 60 characters.')
  await refused('level:error', 'x'.repeat(61), 'enter a name of 1 to 60 characters.')
  await refused('relase:1', 'Typo', /Unknown filter &quot;relase&quot;\. Did you mean release\?/)
  await refused('x'.repeat(10_000), 'Long', 'A search can have at most 1,000 characters.')
  t.equal((await vera.post(PATH, { intent: 'remove', id: 'x' })).statusCode, 422)
  t.equal((await vera.post(PATH, { intent: 'rename', id: 999, name: 'x' })).statusCode, 422)
  const hostile = '"><script>alert(1)</script>%'
  await save(vera, '"</script><b>"', hostile)
  for (const path of [PATH, '/inbox/issues']) {
    const { body } = await vera.get(path)
    t.match(body, '&lt;script&gt;alert(1)&lt;/script&gt;%')
    t.notMatch(body, /<script>alert|<\/script><b>/)
  }
  for (let i = 2; i < 50; i++) t.equal((await save(vera, 'level:fatal', `Search ${i}`)).statusCode, 303)
  await refused('level:fatal', 'One too many', 'At most 50 searches can be saved; remove one first.')
  t.equal(
    (await save(vera, 'level:fatal', 'Worst', {}, '&project=1')).statusCode,
    303,
    'the limit applies to each project'
  )
})

t.test('admins who sign in with the shared password share their searches', async (t) => {
  const { app, ada } = await open(t)
  t.match((await ada.get('/inbox/issues')).body, 'Everybody who reads these issues will see it.')
  await save(ada, 'level:fatal', 'Worst')
  t.match(menuIn((await (await signIn(app, 'Bob')).get('/inbox/issues')).body), '>Worst<')
})

t.test('saved searches survive a damaged file, and are deleted with their person', async (t) => {
  const folder = createFolder(t)
  {
    const { app, ada } = await open(t, folder)
    const vera = await acceptInvitation(app, ada, 'viewer', 'Vera')
    await save(ada, 'level:fatal', 'Worst')
    await save(vera, 'level:error', 'Own')
    t.equal((await app.inbox!.queries.listSavedSearches({ person: 2 })).length, 2)
    await app.inbox!.changes.removePerson({ id: 2 })
    t.equal((await app.inbox!.queries.listSavedSearches({ person: 2 })).length, 1)
    await app.close()
  }
  writeFileSync(join(folder, 'inbox.db'), 'no database'.repeat(1_000))
  const { app, logs } = await open(t, folder)
  t.match(logs.takeErrors(), [{ salvaged: { saved_search: 1 } }])
  t.match(await app.inbox!.queries.listSavedSearches({ person: 1 }), [{ name: 'Worst', query: 'level:fatal' }])
})
