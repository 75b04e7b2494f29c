import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from './start-server.ts'

test('pages answer', async (t) => {
  const app = await startServer(t)
  const home = await app.inject('/')
  assert.equal(home.statusCode, 200)
  assert.match(home.body, /<h1>/)
  const counter = await app.inject('/counter?start=3')
  assert.match(counter.body, />3<\/button>/)
})

test('an address without a page is 404', async (t) => {
  const app = await startServer(t)
  const { statusCode } = await app.inject('/nowhere')
  assert.equal(statusCode, 404)
})

test('a route checks its input', async (t) => {
  const app = await startServer(t)
  const greeted = await app.inject('/api/greeting?name=Ada')
  assert.deepEqual(greeted.json(), { greeting: 'Hello, Ada' })
  const refused = await app.inject('/api/greeting')
  assert.equal(refused.statusCode, 400)
})
