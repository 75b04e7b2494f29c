import { join } from 'node:path'
import t, { type Test } from 'tap'
import type * as Configuration from '../../../config.ts'
import type * as Application from '../../../server.ts'
import { copyWithExamples } from '@hull/test-helpers/doc-examples.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'

const root = copyWithExamples(t, 'docs/http.md')

/** The application with the examples. */
async function createApp(t: Test) {
  const { readConfig } = (await import(join(root, 'config.ts'))) as typeof Configuration
  const { buildServer } = (await import(join(root, 'server.ts'))) as typeof Application
  const app = await buildServer(
    readConfig({ DATA_DIR: createFolder(t), INBOX: 'off', MAX_EVENT_LOOP_DELAY: '0', LOG_LEVEL: 'silent' })
  )
  t.teardown(() => app.close())
  return app
}

const app = await createApp(t)

t.test('the route of docs/http.md checks what it receives, and what it answers', async (t) => {
  const created = await app.inject({ method: 'POST', url: '/api/orders', payload: { article: 'rope', pieces: 2 } })
  t.equal(created.statusCode, 201)
  t.same(created.json(), { id: 1, article: 'rope' })
  const refused = await app.inject({ method: 'POST', url: '/api/orders', payload: { article: 'rope', pieces: 0 } })
  t.equal(refused.statusCode, 400)
  t.match(refused.headers['content-type'], 'application/problem+json')
  t.match(refused.json(), { code: 'FST_ERR_VALIDATION', detail: /pieces/ })
})
