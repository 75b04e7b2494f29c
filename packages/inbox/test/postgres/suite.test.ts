// Runs in a process of its own: it runs other test files, on PostgreSQL.
import t from 'tap'
import { getPostgres } from '@hull/test-helpers/services.ts'

/* Tests of ingest, queries, changes and alerts, with a real PostgreSQL server. */

t.setTimeout(1_200_000)

const { url } = await getPostgres(t)
process.env['HULL_TEST_POSTGRES'] = url

await import('../alerts/delivery.test.ts')
await import('../alerts/feedback.test.ts')
await import('../alerts/grouping.test.ts')
await import('../alerts/spikes.test.ts')
await import('../alerts/thresholds.test.ts')
await import('../ingest/batch.test.ts')
await import('../ingest/items/check-in.test.ts')
await import('../ingest/deliveries.test.ts')
await import('../ingest/events.test.ts')
await import('../ingest/issue-tags.test.ts')
await import('../ingest/items.test.ts')
await import('../ingest/items/session.test.ts')
await import('../ingest/items/span.test.ts')
await import('../ingest/items/transaction.test.ts')
await import('../ingest/visitors.test.ts')
await import('../mutations/assignment.test.ts')
await import('../mutations/issue-states.test.ts')
await import('../mutations/merging.test.ts')
await import('../mutations/removal.test.ts')
await import('../mutations/undo.test.ts')
await import('../queries/store.test.ts')
await import('../queries/traces.test.ts')
await import('../queries/vitals.test.ts')
await import('../store/expiry.test.ts')
await import('../store/issue-state.test.ts')
