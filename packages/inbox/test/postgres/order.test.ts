import t from 'tap'
import { getPostgres } from '@hull/test-helpers/services.ts'
import { askIssueRows } from '../../src/queries/issues/issue-rows.ts'
import { askTags } from '../../src/queries/issues/tags.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { createDatabase } from '../helpers/database.ts'

const server = await getPostgres(t)
const store = openPostgres({ url: createDatabase(server.url) })
t.teardown(() => store.close())

t.test('rows have the order of the list, however the database finds them', async (t) => {
  store.exec(
    `INSERT INTO issue (project, type, value, culprit, level, side, first_seen, last_seen)
     SELECT 1, 'Error', '', '', 'error', 'server', 1, 1 FROM generate_series(1, 5000)`
  )
  // Uses the plan that the planner chooses for a larger table.
  store.exec('ANALYZE issue; SET enable_nestloop = off')
  const ids = [150, 5, 199, 17, 2]
  const view = { since: 0, until: 3_600_000 }
  t.same(
    askIssueRows(store, { ids, view, now: 0 })().map(({ id }) => id),
    ids
  )

  for (const [name, value] of [
    ['size', 'l'],
    ['size', 'b'],
    ['colour', 'red']
  ])
    store.run('INSERT INTO issue_tag (issue, name, value, events, last_seen) VALUES (2, ?, ?, 1, 1)', name!, value!)
  t.same(
    askTags(store, { id: 2 })().map(({ name, values }) => [name, ...values.map(({ value }) => value)]),
    [
      ['colour', 'red'],
      ['size', 'b', 'l']
    ]
  )
})
