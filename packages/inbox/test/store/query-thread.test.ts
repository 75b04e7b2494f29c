import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { QueryThread } from '../../src/store/query-thread.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { openSeedStore, seedShowcase } from '../../src/seed/index.ts'

const TOO_SLOW = { code: 'APP_INBOX_TOO_SLOW', statusCode: 503 }
const UNAVAILABLE = { code: 'APP_INBOX_UNAVAILABLE', statusCode: 503 }

/** Milliseconds; much less than the time that a reader waits for a lock. A busy machine notices the deadline late. */
const DEADLINE = 400

const file = join(createFolder(t), 'inbox.db')
const store = openSeedStore(file)
seedShowcase(store)
store.close()
const query = { view: { since: 0, until: Date.now() }, query: 'cart' }

t.test('a scan', async (t) => {
  t.test('that takes too long is ended, and the next scan is answered', async (t) => {
    const thread = new QueryThread({ file }, { deadline: DEADLINE })
    t.teardown(() => thread.close())
    const writer = new DatabaseSync(file)
    writer.exec('BEGIN EXCLUSIVE')
    // The second query waits for the first one, and then waits for the same lock in a new thread.
    const first = thread.run('listIssues', query)
    const second = thread.run('listIssues', query)
    await t.rejects(first, TOO_SLOW)
    await t.rejects(second, TOO_SLOW)
    writer.exec('COMMIT')
    writer.close()
    const ask = () => thread.run('listIssues', query).catch((error) => void t.match(error, TOO_SLOW))
    t.match(await eventually(ask), { issues: Array })
  })

  t.test('waits in a queue of limited length', async (t) => {
    const thread = new QueryThread({ file })
    const asked = Array.from({ length: 40 }, () => thread.run('getHealth', {}))
    const settled = await Promise.allSettled(asked)
    t.equal(settled.filter(({ status }) => status === 'fulfilled').length, 33, 'one that runs, and 32 that wait')
    for (const outcome of settled) if (outcome.status === 'rejected') t.match(outcome.reason, TOO_SLOW)
    await thread.close()
    await t.rejects(thread.run('getHealth', {}), UNAVAILABLE)
  })

  t.test('of a missing file is refused', async (t) => {
    const thread = new QueryThread({ file: join(createFolder(t), 'nothing.db') })
    t.teardown(() => thread.close())
    await t.rejects(thread.run('getHealth', {}), UNAVAILABLE)
  })
})

t.test('queries are refused at once while the system refuses the thread', async (t) => {
  for (const runsTogether of [false, true]) {
    // Node throws for values that no thread can receive, as it does if a container has its maximum of threads.
    const thread = new QueryThread({ file: (() => {}) as unknown as string }, { runsTogether, maxWaiting: 1 })
    for (let i = 0; i < 3; i++) await t.rejects(thread.run('getHealth', {}), UNAVAILABLE)
    await thread.close()
  }
})

t.test('queries of the same moment run together, and each has its own result', async (t) => {
  const thread = new QueryThread({ file }, { runsTogether: true })
  t.teardown(() => thread.close())
  const asked = [
    thread.run('getIssue', { id: 1 }),
    thread.run('getIssue', { id: 999_999 }),
    thread.run('listProjects', {}),
    thread.run('getIssue', { id: 1 }, { role: 'none', projects: {} })
  ]
  const notFound = { status: 'rejected', reason: { code: 'APP_INBOX_ISSUE_NOT_FOUND' } }
  t.match(await Promise.allSettled(asked), [{ value: { id: 1 } }, notFound, { value: [{ id: 1 }] }, notFound])
})
