import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import t from 'tap'
import type { FastifyInstance } from 'fastify'
import { Webhook } from 'standardwebhooks'
import { writeExamples } from '@hull/test-helpers/doc-examples.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'

/* The receiver of packages/inbox/docs/alerts.md. */

t.test('the receiver accepts an alert once, and refuses wrong signatures and old alerts', async (t) => {
  const folder = createFolder(t)
  writeExamples('packages/inbox/docs/alerts.md', folder)
  const { createReceiver } = (await import(join(folder, 'alert-receiver.ts'))) as {
    createReceiver: (secret: string, onAlert: (title: string) => void) => FastifyInstance
  }
  const secret = `whsec_${randomBytes(24).toString('base64')}`
  const titles: string[] = []
  const app = createReceiver(secret, (title) => titles.push(title))
  t.teardown(() => app.close())

  const id = `msg_${randomUUID()}`
  const body = JSON.stringify({ id, type: 'alert', title: 'New issue' })
  async function post({ key = secret, at = new Date() } = {}) {
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(key).sign(id, at, body)
    }
    return (await app.inject({ method: 'POST', url: '/alerts', headers, body })).statusCode
  }
  t.equal(await post({ key: `whsec_${randomBytes(24).toString('base64')}` }), 401)
  t.equal(await post({ at: new Date(Date.now() - 6 * 60_000) }), 401)
  t.same(titles, [])
  t.same([await post(), await post()], [204, 204])
  t.same(titles, ['New issue'])
})
