import { join } from 'node:path'
import t from 'tap'
import { openInbox } from '../../src/store/open.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { seedInbox } from '../helpers/seed-inbox.ts'
import { openInboxFile } from '../../src/store/sqlite/file.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { DAY } from '@hull/common/time.ts'

const log = { info() {}, warn() {}, error() {} }

t.test('queries of an open inbox', async (t) => {
  const file = join(createFolder(t), 'inbox.db')
  const maxBytes = 2 ** 30
  const now = Date.now()
  const seeded = new SqliteStore(openInboxFile(file, maxBytes))
  seedInbox(seeded, { events: 2_000, issues: 200, now })
  seeded.close()
  const inbox = await openInbox({ file, maxBytes, retentionDays: 365, release: '1.0.0', log })
  t.teardown(() => inbox.close())
  const view = { since: now - 40 * DAY, until: now + DAY }

  t.test('have the same result on the main thread and on the scan thread', async (t) => {
    // Two queries for the same issues: one uses the index, the other a filter.
    const keyed = await inbox.queries.listIssues({ view, query: 'is:resolved' })
    const scanned = await inbox.queries.listIssues({ view, query: 'is:resolved -tag:no=where' })
    t.ok(keyed.issues.length > 10)
    t.same(scanned.issues, keyed.issues)
    const day = await inbox.queries.getOverview({ view: { since: now - DAY, until: now } })
    const week = await inbox.queries.getOverview({ view: { since: now - 7 * DAY, until: now } })
    t.ok(week.errors.total > day.errors.total && day.errors.total > 0)
    t.ok((await inbox.queries.getHealth({})).storage.events >= 2_000)
  })

  t.test('are refused with an error code if they are invalid', async (t) => {
    const wrong = { code: 'APP_INBOX_QUERY_INVALID', statusCode: 400, position: 2 }
    await t.rejects(inbox.queries.listIssues({ view, query: 'a is:open' }), wrong)
    const cursor = { code: 'APP_INBOX_CURSOR_INVALID', statusCode: 400 }
    await t.rejects(inbox.queries.listIssues({ view, cursor: 'x' }), cursor)
    await t.rejects(inbox.queries.listIssues({ view, query: 'user:7', cursor: 'x' }), cursor, 'also on the scan thread')
    await t.rejects(inbox.queries.getIssue({ id: 0 }), { code: 'APP_INBOX_ISSUE_NOT_FOUND', statusCode: 404 })
  })
})
