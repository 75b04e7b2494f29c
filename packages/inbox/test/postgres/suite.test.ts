// Runs in a process of its own: it runs other test files, on PostgreSQL.
import t from 'tap'
import { startPostgres } from '@hull/test-helpers/services.ts'

t.setTimeout(600_000)

const { url } = await startPostgres(t)
process.env['HULL_TEST_POSTGRES'] = url

await import('../ingest/batch.test.ts')
await import('../ingest/deliveries.test.ts')
await import('../ingest/items.test.ts')
await import('../ingest/session.test.ts')
await import('../ingest/span.test.ts')
await import('../ingest/transaction.test.ts')
await import('../mutations/assignment.test.ts')
await import('../mutations/issue-states.test.ts')
await import('../mutations/merging.test.ts')
await import('../mutations/removal.test.ts')
await import('../mutations/undo.test.ts')
await import('../queries/store.test.ts')
