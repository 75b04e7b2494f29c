import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readItems } from '../src/ingest/ingest.ts'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { splitEnvelope } from '@hull/test-helpers/envelopes.ts'
import { stored } from '@hull/test-helpers/inbox.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

/* Requests of real clients in five major versions, recorded by scripts/sdks/capture.ts. */

interface Sent {
  file: string
  path: string
  headers: Record<string, string>
}

const FOLDER = join(import.meta.dirname, '../../monitoring/test/fixtures/envelopes/clients')
const KEY = '0123456789abcdef0123456789abcdef'

const ISSUES = {
  node: ['cannot sell', 'stock is low', 'with an attachment'],
  browser: ['caught', 'the cart is empty', 'undefined is no item', 'with an attachment']
}

const site = await buildFixtureSite()
const clients = globSync('*-requests.json', { cwd: FOLDER }).sort()

t.equal(clients.length, 10, 'five versions, on the server and in the browser')

for (const client of clients)
  t.test(`stores everything from ${client.replace('-requests.json', '')}`, async (t) => {
    const { app } = await createTestApp(t, { site, env: { TUNNEL_RATE: '0', INBOX: 'on' } })
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
      for (const { type } of readItems(splitEnvelope(body).rest, () => t.fail(file)))
        expected[type] = (expected[type] ?? 0) + 1
    }
    for (const [type, count] of Object.entries(expected)) await stored(app, type, count)
    const { stored: all, drops } = app.inbox!.stats()
    t.same(all, expected)
    t.same(drops, [])

    const view = { project: project.id, since: 0, until: Date.now() + 1_000 }
    const { issues } = await app.inbox!.queries.listIssues({ view })
    const [side] = client.split('-')
    t.same(issues.map(says).sort(), ISSUES[side as keyof typeof ISSUES])
    t.equal(issues[0]!.side, side === 'node' ? 'server' : 'browser')
    t.equal(issues[0]!.lastRelease, 'shop@1.4.2')
    const { detail, attachments } = await app.inbox!.queries.getEvent({
      id: issues.find((issue) => says(issue) === 'with an attachment')!.id
    })
    t.match(detail, { environment: 'staging', user: { id: '42' } })
    t.equal(new Map(detail!.tags).get('colour'), 'red')
    t.match(attachments, [{ contentType: 'text/plain', size: 12, kept: true }])
  })

/** Returns the title of an issue. A message has no type, so its text is the title. */
const says = ({ type, value }: { type: string; value: string }) => value || type
