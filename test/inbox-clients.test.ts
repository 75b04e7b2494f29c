import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readItems } from '../lib/inbox/ingest/envelope.ts'
import { handlers } from '../lib/inbox/ingest/handlers.ts'
import { createTestApp } from './helpers/app.ts'
import { splitEnvelope } from './helpers/envelopes.ts'
import { stored } from './helpers/inbox.ts'
import { buildFixtureSite } from './helpers/site.ts'

/*
 * Real clients of five major versions, as scripts/sdks/capture.ts has recorded them.
 */

interface Sent {
  file: string
  path: string
  headers: Record<string, string>
}

const FOLDER = join(import.meta.dirname, 'fixtures/envelopes/clients')
const KEY = '0123456789abcdef0123456789abcdef'

const site = await buildFixtureSite()
const clients = globSync('*-requests.json', { cwd: FOLDER }).sort()

t.equal(clients.length, 10, 'five versions, on the server and in the browser')

for (const client of clients)
  t.test(`what ${client.replace('-requests.json', '')} sends is stored`, async (t) => {
    const { app } = await createTestApp(t, { site, env: { TUNNEL_RATE: '0' } })
    const project = await app.inbox!.changes.createProject({ name: 'Shop' })
    const requests = JSON.parse(readFileSync(join(FOLDER, client), 'utf8')) as Sent[]
    const expected: Record<string, number> = {}
    for (const { file, path, headers } of requests) {
      const body = readFileSync(join(FOLDER, file))
      const response = await app.inject({
        method: 'POST',
        url: path.replace('{project}', String(project.id)).replaceAll(KEY, project.key),
        headers,
        payload: String(body).replaceAll(KEY, project.key)
      })
      t.equal(response.statusCode, 200, file)
      t.equal(response.json<{ id?: string }>().id, splitEnvelope(body).header.event_id)
      for (const { type } of readItems(splitEnvelope(body).rest, () => t.fail(file)))
        if (type === 'event' || type in handlers) expected[type] = (expected[type] ?? 0) + 1
    }
    t.ok(expected.event! >= 3)
    for (const [type, count] of Object.entries(expected)) await stored(app, type, count)
    await app.tunnel!.flush(5_000)
    const { stored: all, drops } = app.inbox!.stats()
    t.same(all, expected)
    t.same(
      drops.filter(({ reason }) => reason !== 'unsupported'),
      []
    )
  })
