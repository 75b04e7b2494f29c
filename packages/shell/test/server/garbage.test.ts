// Runs in a process of its own: it measures the memory of its process.
import { Agent, get } from 'node:http'
import t from 'tap'
import { startServer } from '@hull/test-helpers/child-server.ts'
import { collectGarbage } from '@hull/test-helpers/garbage.ts'
import { openTarget } from '@hull/test-helpers/target.ts'

/** Requests before the measurement. During them the memory of the compiler grows. */
const WARM_UP = 300
const REQUESTS = 500
/** Requests between two collections of the young generation. */
const BETWEEN = 25
/**
 * Maximum bytes per request. Without surviving objects they are about 1,000, which are data of the compiler; with them
 * about 8,000.
 */
const MAX_KEPT = 2_500

t.test('the objects of a request are collected with the young generation', async (t) => {
  const env = { LAB: 'on', INBOX: 'off' }
  const { origin } = await startServer(t, env, 'packages/shell/test/fixtures/whole-server.ts')
  const readText = async (path: string) => {
    const response = await fetch(origin + path, { headers: { accept: 'text/html' } })
    return response.text()
  }
  const request = async (path: string, times: number) => {
    for (let i = 0; i < times; i++) await readText(path)
  }
  for (const path of ['/', '/lab/items/7']) {
    await request(path, WARM_UP)
    await readText('/heap')
    const before = Number(await readText('/heap/old'))
    let after = before
    for (let requests = 0; requests < REQUESTS; requests += BETWEEN) {
      await request(path, BETWEEN)
      after = Number(await readText('/heap/old'))
    }
    const kept = Math.round((after - before) / REQUESTS)
    t.ok(kept < MAX_KEPT, `${path}: ${kept} bytes per request`)
  }
})

t.test('an idle connection keeps no data of its last page', async (t) => {
  const { port } = await openTarget(t)
  const size = 2_000_000
  const agent = new Agent({ keepAlive: true })
  const load = () =>
    new Promise((resolve, reject) => {
      const address = `http://127.0.0.1:${port}/large?size=${size}`
      get(address, { agent }, (response) => response.on('end', resolve).resume()).on('error', reject)
    })
  await load()
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  await Promise.all(Array.from({ length: 8 }, load))
  collectGarbage()
  const kept = process.memoryUsage().heapUsed - before
  agent.destroy()
  t.ok(kept < size, `${kept} bytes`)
})
