import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import pg from 'pg'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { writeExamples } from '@hull/test-helpers/doc-examples.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { startPostgres } from '@hull/test-helpers/services.ts'

/* Tests the plugins of docs/development.md with a real database. */

const { url } = await startPostgres(t)
const folder = createFolder(t)
writeExamples('docs/development.md', folder)
const { default: database } = await import(join(folder, 'plugins/database.ts'))
const { default: jobs } = await import(join(folder, 'plugins/jobs.ts'))

async function createShop(t: Test) {
  const { app, logs } = await createTestApp(t)
  await app.register(database, { url })
  await app.register(jobs, { schedule: '* * * * * *' })
  const linesWith = (text: string) => logs.lines.filter(({ msg }) => msg === text)
  return { app, logs, linesWith }
}

const client = new pg.Client(url)
await client.connect()
t.teardown(() => client.end())

const insertOld = () => client.query("INSERT INTO basket (changed) VALUES (now() - interval '31 days')")

t.test(
  'a job runs on schedule while the server listens, reports its error, and ends before the database',
  async (t) => {
    const { app, logs, linesWith } = await createShop(t)
    await app.listen({ host: '127.0.0.1', port: 0 })
    const [error] = await eventually(() => {
      const errors = logs.takeErrors()
      return errors.length > 0 && errors
    })
    t.match(error, { msg: 'old baskets could not be removed', digest: /^\w+/, err: { message: /basket/ } })

    await client.query('CREATE TABLE basket (id serial, changed timestamptz)')
    await client.query('INSERT INTO basket (changed) VALUES (now())')
    await insertOld()
    await eventually(() => linesWith('old baskets were removed').some(({ count }) => count === 1))
    t.match((await client.query('SELECT count(*)::int FROM basket')).rows, [{ count: 1 }])

    await client.query('BEGIN')
    await insertOld()
    await client.query('LOCK TABLE basket')
    const isWaiting = async () => {
      const { rowCount } = await client.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`)
      return rowCount !== 0
    }
    await eventually(isWaiting)
    logs.takeErrors()
    const runs = linesWith('old baskets were removed').length
    const closed = app.close()
    await client.query('COMMIT')
    await closed
    t.equal(linesWith('old baskets were removed').length, runs + 1, 'the job has ended')
  }
)

t.test('no job runs while the server does not listen', async (t) => {
  const { app, logs, linesWith } = await createShop(t)
  await app.ready()
  await setTimeout(1_500)
  t.same([...linesWith('old baskets were removed'), ...logs.takeErrors()], [])
})
