import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { createAlertLoop } from '../../src/alerts/loop.ts'
import { openInbox } from '../../src/store/open.ts'
import { createReceiver } from '../helpers/alerts.ts'
import { createEnvelope, createRawEvent } from '../helpers/writer.ts'

const FIXTURE = fileURLToPath(new URL('../fixtures/alert-process.ts', import.meta.url))
const MINUTE = 60_000

async function start(t: Test, folder: string, target: string, offset = 0, ...options: 'threshold'[]) {
  const child = fork(FIXTURE, [folder, target, String(offset), ...options], { execArgv: [] })
  t.teardown(() => child.kill('SIGKILL'))
  await once(child, 'message')
  return {
    async add(name: string, issues: number): Promise<void> {
      const accepted = once(child, 'message')
      child.send({ name, issues })
      await accepted
    },
    async kill(): Promise<void> {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    }
  }
}

t.test('a process that is killed loses no alert, and a receiver recognises a message that is sent twice', async (t) => {
  const folder = createFolder(t)
  const receiver = await createReceiver(t)
  const byId = () => new Map(receiver.requests.map(({ message }) => [message.id, message]))
  const told = () => [...byId().values()].reduce((sum, { total }) => sum + total, 0)

  const first = await start(t, folder, receiver.url)
  await first.add('first', 5)
  // Before the loop has read anything.
  await first.kill()

  receiver.answer = () => {}
  const second = await start(t, folder, receiver.url, 2 * MINUTE)
  await eventually(() => receiver.requests.length > 0)
  await second.add('second', 5)
  // While the target has received the message, and has not answered.
  await second.kill()

  receiver.answer = (response) => void response.writeHead(204).end()
  await start(t, folder, receiver.url, 4 * MINUTE)
  await eventually(() => told() >= 10)
  const [interrupted] = receiver.requests
  t.equal(told(), 10)
  t.ok(receiver.requests.length > byId().size, 'the interrupted message was sent again')
  t.same(
    receiver.requests.filter(({ message }) => message.id === interrupted!.message.id).map(({ body }) => body),
    [interrupted!.body, interrupted!.body]
  )
})

t.test('two processes on one file send each alert once', async (t) => {
  const folder = createFolder(t)
  const receiver = await createReceiver(t)
  const one = await start(t, folder, receiver.url)
  const two = await start(t, folder, receiver.url)
  await Promise.all([one.add('one', 8), two.add('two', 8)])
  const told = () => receiver.requests.reduce((sum, { message }) => sum + message.total, 0)
  await eventually(() => told() >= 16)
  t.equal(told(), 16)
  t.equal(new Set(receiver.requests.map(({ message }) => message.id)).size, receiver.requests.length)
})

t.test('a message is sent once although the store was busy for longer than its claim', async (t) => {
  const file = join(createFolder(t), 'inbox.db')
  const receiver = await createReceiver(t)
  const log = { info() {}, warn() {}, error() {} }
  const inbox = await openInbox({ file, maxBytes: 2 ** 30, retentionDays: 30, log })
  t.teardown(() => inbox.close())
  const times = { groupMinutes: 0, quietFrom: '', quietUntil: '', zone: 'UTC' }
  const channel = await inbox.changes.createChannel({ kind: 'webhook', name: 'Team', target: receiver.url, ...times })
  await inbox.changes.createRule({ project: 1, kind: 'new', channel, environments: [], level: 'debug' })
  await inbox.sink.accept(createEnvelope([['event', createRawEvent()]]))
  let time = Date.now()
  const now = () => time
  const loop = createAlertLoop({ inbox, log, allowPrivate: true, now, wall: now })
  await loop.run()
  time += 2_000

  const other = new DatabaseSync(file)
  t.teardown(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const turns = [loop.run()]
  // The turn has read that there is work, and waits to write.
  await setTimeout(500)
  time += MINUTE + 1_000
  turns.push(loop.run())
  await setTimeout(500)
  other.exec('COMMIT')
  await Promise.all(turns)
  await loop.run()
  t.equal(receiver.requests.length, 1)
})

t.test('processes on one file send one message when a threshold fires, even after they are killed', async (t) => {
  const folder = createFolder(t)
  const receiver = await createReceiver(t)
  const count = (kind: 'new' | 'spike') => {
    const messages = new Map(receiver.requests.map(({ message }) => [message.id, message]))
    return [...messages.values()].reduce((sum, { counts }) => sum + (counts[kind] ?? 0), 0)
  }
  const first = await start(t, folder, receiver.url, 0, 'threshold')
  await first.add('first', 6)
  // Before or after the check of the threshold.
  await first.kill()
  const second = await start(t, folder, receiver.url, 2 * MINUTE)
  await start(t, folder, receiver.url, 2 * MINUTE)
  await eventually(() => count('new') === 6)
  await second.add('second', 6)
  await eventually(() => count('new') === 12)
  t.equal(count('spike'), 1)
  await second.kill()
  const last = await start(t, folder, receiver.url, 4 * MINUTE)
  await last.add('last', 6)
  // A process checks thresholds in the first run of its loop, before it sends anything.
  await eventually(() => count('new') === 18)
  t.equal(count('spike'), 1)
})
