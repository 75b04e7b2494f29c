import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import type { News } from '../../src/store/inbox.ts'
import { openInbox } from '../../src/store/open.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { receive, receiveAll } from '../helpers/receive.ts'

const log = { info() {}, warn() {}, error() {} }

t.test('changes of an open inbox', async (t) => {
  const file = join(createFolder(t), 'inbox.db')
  const settings = { file, maxBytes: 2 ** 30, retentionDays: 30, release: '1.0.0', log }
  await (await openInbox(settings)).close()
  const store = new SqliteStore(new DatabaseSync(file))
  const issues = store.transaction(() => ['a', 'b', 'c'].map((group) => receive(store, { group, at: Date.now() })))
  const [first, second, giant] = issues as [number, number, number]
  const event = { group: 'c', at: Date.now(), keepsPayload: false }
  store.transaction(() =>
    receiveAll(
      store,
      Array.from({ length: 6_000 }, () => event)
    )
  )
  const inbox = await openInbox(settings)
  t.teardown(async () => {
    store.close()
    await inbox.close()
  })
  const announced = new Set<number>()
  inbox.onNews(({ issues }: News) => issues.forEach((issue) => announced.add(issue)))

  t.test('are announced to listeners', async (t) => {
    await inbox.changes.resolveIssues({ issues: [{ id: first }], who: 1 })
    await inbox.changes.mergeIssues({ issues: [{ id: first }], into: second, who: 1 })
    await inbox.changes.deleteIssues({ issues: [{ id: giant }], who: 1 })
    while (announced.size < 3) await setTimeout(10)
    t.strictSame([...announced].sort(), issues)
  })

  t.test('with many rows are completed in the background', async (t) => {
    const count = () =>
      store.get<{ count: number }>('SELECT count(*) AS count FROM event WHERE issue = ?', giant)!.count
    while (count() > 0) await setTimeout(20)
    t.strictSame(store.all('SELECT * FROM issue_chore'), [])
    t.equal(
      store.get<{ count: number }>('SELECT count(*) AS count FROM event')!.count,
      2,
      'events of other issues are kept'
    )
  })

  t.test('that are invalid are refused with an error code', async (t) => {
    await t.rejects(inbox.changes.ignoreIssues({ issues: [{ id: second }], who: 1, events: 0 }), {
      code: 'APP_INBOX_IGNORE_INVALID',
      statusCode: 400
    })
    await t.rejects(inbox.changes.mergeIssues({ issues: [{ id: second }], into: 999, who: 1 }), {
      code: 'APP_INBOX_ISSUE_NOT_FOUND',
      statusCode: 404
    })
  })
})
