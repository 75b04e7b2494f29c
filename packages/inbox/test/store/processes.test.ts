import { fork, spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import type { InboxStats } from '../../src/store/inbox.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'

const FIXTURE = fileURLToPath(new URL('../fixtures/inbox-process.ts', import.meta.url))

interface Message {
  kept?: string
  lost?: string
  /** Why the event was not accepted. */
  reason?: string
  done?: number
  flushed?: boolean
  stats?: InboxStats
  lines?: string[]
}

async function follow(t: Test, child: ChildProcess) {
  const kept: string[] = []
  const lost: string[] = []
  const reasons = new Set<string>()
  const waiting: Array<{ key: keyof Message; resolve: (message: Message) => void }> = []
  let onKept = () => {}
  t.teardown(() => child.kill('SIGKILL'))
  child.on('message', (message: Message) => {
    if (message.kept !== undefined) kept.push(message.kept)
    if (message.lost !== undefined) lost.push(message.lost)
    if (message.reason !== undefined) reasons.add(message.reason)
    onKept()
    const index = waiting.findIndex(({ key }) => message[key] !== undefined)
    if (index !== -1) waiting.splice(index, 1)[0]!.resolve(message)
  })
  child.on('error', () => {})
  await once(child, 'message')
  const ask = (message: object, key: keyof Message) =>
    new Promise<Message>((resolve) => {
      waiting.push({ key, resolve })
      child.send(message)
    })
  return {
    child,
    /** Ids of accepted events. */
    kept,
    lost,
    reasons,
    send: (events: number, padding?: number) => ask({ events, padding }, 'done'),
    start: (events: number) => child.send({ events }),
    /** Resolves once this number of events was accepted. */
    accepted: (count: number) =>
      new Promise<void>((resolve) => {
        onKept = () => {
          if (kept.length >= count) resolve()
        }
      }),
    flush: (ms = 20_000) => ask({ flush: ms }, 'flushed'),
    async kill() {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    }
  }
}

const start = (t: Test, folder: string) => follow(t, fork(FIXTURE, [folder], { execArgv: [] }))

function readStore(folder: string) {
  const db = new DatabaseSync(join(folder, 'inbox.db'), { readOnly: true })
  const ids = db.prepare('SELECT event_id FROM event').all() as { event_id: string }[]
  const { counted } = db.prepare('SELECT sum(events) AS counted FROM issue').get() as { counted: number }
  const { figure } = db.prepare(`SELECT sum(quantity) AS figure FROM figure_hour WHERE name = 'errors'`).get() as {
    figure: number
  }
  const logged = db.prepare('SELECT body FROM log').all() as { body: string }[]
  db.close()
  return { ids: ids.map(({ event_id: id }) => id), counted, figure, logged: logged.map(({ body }) => body) }
}

t.test('a process that is killed while it stores loses no accepted event, and counts no event twice', async (t) => {
  const folder = createFolder(t)
  const accepted = new Set<string>()
  for (const count of [100, 250, 400]) {
    const process = await start(t, folder)
    const enough = process.accepted(count)
    process.start(5_000)
    await enough
    await process.kill()
    for (const id of process.kept) accepted.add(id)
  }
  const last = await start(t, folder)
  t.match(await last.flush(), { flushed: true })
  await last.kill()
  const { ids, counted, figure, logged } = readStore(folder)
  const stored = new Set(ids)
  t.ok(accepted.size >= 750)
  t.same(
    [...accepted].filter((id) => !stored.has(id)),
    []
  )
  t.equal(ids.length, stored.size)
  t.equal(counted, ids.length)
  t.equal(figure, ids.length)
  t.same(logged.sort(), ids.sort(), 'log lines have no id, and are stored once')
})

t.test('two processes on one file both store events, and lose none', async (t) => {
  const folder = createFolder(t)
  const processes = await Promise.all([start(t, folder), start(t, folder)])
  await Promise.all(processes.map(({ send }) => send(400)))
  for (const { reasons } of processes) t.same([...reasons], [], 'no event is refused')
  for (const { flush } of processes) t.match(await flush(), { flushed: true })
  const accepted = processes.flatMap(({ kept }) => kept)
  for (const { kill } of processes) await kill()
  const { ids, counted, figure } = readStore(folder)
  t.equal(accepted.length, 800)
  t.same(new Set(ids), new Set(accepted))
  t.equal(ids.length, 800)
  t.equal(counted, 800)
  t.equal(figure, 800)
})

const HAS_LIMITS = spawnSync('prlimit', ['--version']).error === undefined

t.test('a disk that is full', { skip: !HAS_LIMITS && 'there is no prlimit' }, async (t) => {
  const folder = createFolder(t)
  // Limits files to 3 MiB, until the parent process removes the limit. Node ignores the signal of this limit, but hooks
  // in NODE_OPTIONS could make it end the process.
  const command = `ulimit -S -f 3072; unset NODE_OPTIONS; exec "$0" "$@"`
  const stdio: StdioOptions = ['ignore', 'inherit', 'inherit', 'ipc']
  const child = spawn('bash', ['-c', command, process.execPath, FIXTURE, folder], { stdio })
  const full = await follow(t, child)

  t.test('ends no process', async (t) => {
    for (let round = 0; round < 40 && full.lost.length === 0; round++) await full.send(100, 3_000)
    t.equal(child.exitCode, null)
    t.ok(full.kept.length > 100)
    const { stats } = await full.flush()
    t.equal(stats!.stored['event'], full.kept.length, 'refused events are not stored')
  })

  t.test('is written again when there is free space, and no accepted event is lost', async (t) => {
    spawnSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:unlimited'])
    const before = full.kept.length
    for (let round = 0; round < 60 && full.kept.length === before; round++) {
      await full.send(20)
      await sleep(100)
    }
    t.ok(full.kept.length > before)
    t.match(await full.flush(), { stats: { available: true } })
    await full.kill()
    const { ids } = readStore(folder)
    const stored = new Set(ids)
    t.same(
      full.kept.filter((id) => !stored.has(id)),
      []
    )
  })
})
