import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { openInbox } from '../../../lib/inbox/open.ts'

const log = { info() {}, warn() {}, error() {} }

t.test('an inbox', async (t) => {
  const file = join(t.testdir(), 'data', 'inbox.db')
  const settings = { file, maxBytes: 2 ** 30, retentionDays: 30, release: '1.0.0', environment: 'test', log }

  t.test('has a project of its own, the same after the next start', async (t) => {
    const first = await openInbox(settings)
    const { own } = first
    t.match(own, { id: 1, key: /^[\da-f]{32}$/ })
    t.same(first.findProject(own.key), own)
    t.equal(first.findProject('other'), undefined)
    t.equal(first.stats().available, true)
    await first.close()
    const second = await openInbox(settings)
    t.same(second.own, own)
    await second.close()
  })

  t.test('knows the release that runs', async (t) => {
    const db = new DatabaseSync(file, { readOnly: true })
    t.match(db.prepare('SELECT project, version FROM release').all(), [{ project: 1, version: '1.0.0' }])
    db.close()
  })
})
