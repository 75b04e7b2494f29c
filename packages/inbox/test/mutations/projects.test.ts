import t, { type Test } from 'tap'
import { createProject, removeProject, renameProject, renewKey } from '../../src/mutations/projects.ts'
import { openInboxFile } from '../../src/store/sqlite/file.ts'
import { ensureOwnProject } from '../../src/store/projects.ts'
import { listProjects } from '../../src/queries/projects.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'

function openStore(t: Test): Store {
  const store = new SqliteStore(openInboxFile(`${createFolder(t)}/inbox.db`, 2 ** 30))
  t.teardown(() => store.close())
  ensureOwnProject(store, 1)
  return store
}

t.test('a project is created with its own key, renamed, given another key, and removed', async (t) => {
  const store = openStore(t)
  const shop = createProject(store, { name: '  Shop\n(north) ' })
  const other = createProject(store, { name: 'Shop (north)' })
  t.match(shop, { id: 2, name: 'Shop (north)', key: /^[\da-f]{32}$/ })
  t.not(shop.key, other.key)
  renameProject(store, { id: shop.id, name: 'Market' })
  const renewed = renewKey(store, { id: shop.id })
  t.not(renewed.key, shop.key)
  t.same(listProjects(store)[1], { ...shop, name: 'Market', key: renewed.key })
  removeProject(store, { id: shop.id })
  t.same(
    listProjects(store).map(({ id }) => id),
    [1, other.id]
  )
})

t.test('a setting can replace the key of the first project, which is kept without the setting', async (t) => {
  const store = openStore(t)
  const key = '0123456789abcdef'.repeat(2)
  t.not(listProjects(store)[0]!.key, key)
  for (const setting of [key, undefined]) {
    ensureOwnProject(store, 2, { key: setting })
    t.equal(listProjects(store)[0]!.key, key)
  }
})

t.test('a project needs a name of one line', async (t) => {
  const store = openStore(t)
  for (const name of ['', ' \n\u0000 ', 'x'.repeat(81)]) {
    t.throws(() => createProject(store, { name }), { code: 'APP_INBOX_PROJECT_INVALID', statusCode: 422 })
    t.throws(() => renameProject(store, { id: 1, name }), { code: 'APP_INBOX_PROJECT_INVALID' })
  }
  t.equal(listProjects(store).length, 1)
})

t.test('the first project cannot be removed, and a removed project is not found', async (t) => {
  const store = openStore(t)
  const { id } = createProject(store, { name: 'Shop' })
  removeProject(store, { id })
  t.throws(() => removeProject(store, { id: 1 }), { code: 'APP_INBOX_PROJECT_INVALID' })
  for (const change of [
    () => removeProject(store, { id }),
    () => renewKey(store, { id }),
    () => renameProject(store, { id, name: 'x' })
  ])
    t.throws(change, { code: 'APP_INBOX_PROJECT_NOT_FOUND', statusCode: 404 })
})
