import t from 'tap'
import { getPostgres } from '@hull/test-helpers/services.ts'
import { scans } from '../../src/queries/index.ts'
import { openPostgres, openPostgresReader } from '../../src/store/postgres/open.ts'
import { createDatabase } from '../helpers/database.ts'

const server = await getPostgres(t)

t.test('a list of few traces with many spans reads the spans of a trace, not all spans, for each trace', async (t) => {
  const url = createDatabase(server.url)
  const writer = openPostgres({ url })
  t.teardown(() => writer.close())
  const now = Date.now()
  writer.exec(
    `INSERT INTO project (id, name, key, created) VALUES (1, 'shop', 'key', 1);
     INSERT INTO span (project, trace_id, span_id, is_segment, side, name, op, status, start, duration, received, environment, attributes)
     SELECT 1, concat('trace', number % 100), concat('span', number), number % 3 / 2, 'server', 'GET /', '', 'ok',
       ${now}000 - number, 1, ${now}, '', '{}' FROM generate_series(1, 3000) AS number;
     ANALYZE span`
  )
  const reader = openPostgresReader({ url }, 60_000)
  t.teardown(() => reader.close())
  const view = { since: now - 60_000, until: now + 60_000 }
  t.match(scans.listTraces(reader, { view }), { total: 100, traces: { length: 50 } })
  reader.exec('SELECT pg_stat_force_next_flush()')
  const { read } = reader.get<{ read: number }>(
    `SELECT sum(idx_tup_read) AS read FROM pg_stat_user_indexes WHERE relname LIKE 'span%'`
  )!
  // Each of the 1,000 segments reads the 10 segments of its trace, a few times. Reading all spans for each would be
  // millions of rows.
  t.ok(read < 100_000, String(read))
})
