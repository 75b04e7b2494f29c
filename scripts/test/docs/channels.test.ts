// Runs in a process of its own: it checks the subscribers of its process.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyPluginAsync } from 'fastify'
import t from 'tap'
import { CHANNELS, DOCUMENTS, ERRORS } from '../../../packages/common/src/channels.ts'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const text = readFileSync(join(import.meta.dirname, '../../../docs/channels.md'), 'utf8')

t.test('docs/channels.md lists every channel', async (t) => {
  const listed = [...text.matchAll(/^\| `(hull:[\w-]+)` \|/gm)].map(([, name]) => name)
  const work = Object.values(CHANNELS).map(({ start }) => String(start.name).replace(/^tracing:|:start$/g, ''))
  t.same(listed, [...work, ERRORS.name, DOCUMENTS.name])
})

t.test(
  'the example of docs/channels.md reports only slow data of its own server, until the server closes',
  async (t) => {
    const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(text) ?? []
    const file = join(t.testdir(), 'slow-data.js')
    writeFileSync(file, example)
    const { default: slowData } = (await import(file)) as { default: FastifyPluginAsync<{ limit: number }> }
    const site = await buildFixtureSite()
    const watched = await createTestApp(t, { site })
    const other = await createTestApp(t, { site })
    await watched.app.register(slowData, { limit: 0 })
    for (const { app } of [watched, other]) t.equal((await app.inject('/items/7')).statusCode, 200)
    const slow = ({ logs }: typeof watched) => logs.lines.filter(({ msg }) => msg === 'slow getData')
    t.match(slow(watched), [{ page: '/items/[id]', ms: Number }])
    t.same(slow(other), [])
    await watched.app.close()
    t.notOk(
      CHANNELS.data.end.hasSubscribers,
      'nothing subscribes after the server has closed, because tracing is off without telemetry'
    )
  }
)
