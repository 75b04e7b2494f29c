import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { WorkerRpc } from '../src/worker-rpc.ts'
import { SpoolUnavailable } from '../../monitoring/src/errors.ts'
import { SpoolClient } from '../../monitoring/src/spool/spool-client.ts'
import { startServer } from '@hull/test-helpers/child-server.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { eventually } from '@hull/test-helpers/patience.ts'

const FILE = new URL('../../shell/test/fixtures/silent-thread.ts', import.meta.url)
type Question = { kind: 'ask'; number: number; question: string }

function createLog() {
  const lines: string[] = []
  const add = (_details: object, message: string) => {
    lines.push(message)
  }
  return { lines, info: add, warn: add, error: add }
}

function startThread(t: Test) {
  const log = createLog()
  let silences = 0
  const thread = new WorkerRpc<{ kind: 'never' }, Question>({
    file: FILE,
    title: 'the thread',
    name: 'silent',
    workerData: {},
    log,
    answerTimeout: 600,
    createError: (ended) => new Error(ended ? 'ended' : 'unavailable'),
    onMessage: () => undefined,
    onEnd: () => {},
    onSilence: () => {
      silences++
    }
  })
  t.teardown(() => thread.close())
  return {
    thread,
    log,
    silences: () => silences,
    ask: (question: string) => thread.ask((number) => ({ kind: 'ask', number, question }))
  }
}

t.test('a thread that does not respond', async (t) => {
  t.test('fails waiting and new requests, and receives requests again after it responds', async (t) => {
    const { thread, ask, log, silences } = startThread(t)
    // On a busy machine, a thread needs more time to start than `answerTimeout`.
    while ((await ask('first').catch(() => {})) !== 'first') await pause(50)
    log.lines.length = 0
    const before = silences()
    await Promise.all(['sleep', 'behind it'].map((question) => t.rejects(ask(question), { message: 'unavailable' })))
    t.equal(thread.answers, false)
    await t.rejects(ask('meanwhile'), { message: 'unavailable' })
    t.equal(silences() - before, 1)
    await eventually(() => thread.answers)
    t.equal(await ask('again'), 'again')
    t.same(log.lines, ['the thread does not answer: requests to it fail', 'the thread answers again'])
  })

  t.test('can be closed', async (t) => {
    for (const question of ['loop', 'nothing']) {
      const { thread, ask } = startThread(t)
      const rejected = t.rejects(ask(question), { message: /ended|unavailable/ })
      await thread.close()
      await rejected
    }
  })
})

t.test('the requests to a thread that exits fail, and the thread is started again', async (t) => {
  for (const question of ['end', 'throw']) {
    const { ask } = startThread(t)
    const untilAnswered = async (text: string) => {
      while ((await ask(text).catch(() => {})) !== text) await pause(50)
    }
    // On a busy machine, a thread needs more time to start than `answerTimeout`.
    await untilAnswered('first')
    await t.rejects(ask(question), { message: 'ended' })
    await t.rejects(ask('at once'), { message: 'unavailable' })
    await untilAnswered('later')
  }
})

t.test('a thread that sends nothing before it ends is started again after longer and longer delays', async (t) => {
  const ends: number[] = []
  const thread = new WorkerRpc({
    file: new URL('data:text/javascript,process.exit(1)'),
    title: 'the thread',
    name: 'ending',
    workerData: {},
    log: createLog(),
    createError: () => new Error('unavailable'),
    onMessage: () => undefined,
    onEnd: () => void ends.push(performance.now())
  })
  t.teardown(() => thread.close())
  await eventually(() => ends.length === 3)
  t.ok(ends[2]! - ends[1]! >= 1_900, `${ends}`)
})

t.test('a thread is started again after the system refused one, also the first one', async (t) => {
  for (const refused of [1, 2]) {
    const log = createLog()
    let starts = 0
    let ends = 0
    const thread = new WorkerRpc<{ kind: 'never' }, Question>({
      get file() {
        // Node throws at once for this address, as it does if a container has its maximum of threads.
        return new URL(++starts === refused ? 'https://threads.example/' : 'data:text/javascript,process.exit(1)')
      },
      title: 'the thread',
      name: 'ending',
      workerData: {},
      log,
      createError: () => new Error('unavailable'),
      onMessage: () => undefined,
      onEnd: () => void ends++
    })
    t.teardown(() => thread.close())
    t.equal(thread.alive, refused !== 1)
    const asked = thread.ask((number) => ({ kind: 'ask', number, question: 'first' }))
    await t.rejects(asked, { message: 'unavailable' })
    await eventually(() => ends === 2)
    t.equal(starts, 3)
    t.same(log.lines, ['the thread failed'])
  }
})

t.test(
  'a spool whose thread does not respond refuses the first envelope after its timeout, and later ones at once',
  async (t) => {
    const log = createLog()
    const link = new SpoolClient({
      file: `${createFolder(t)}/spool.db`,
      maxBytes: 1_000_000,
      maxFileBytes: 2_000_000,
      firstId: 1,
      log,
      onState: () => {},
      threadFile: FILE,
      answerTimeout: 600
    })
    const put = () =>
      link.put({
        id: 1,
        dsn: 'd',
        lane: 'error',
        receivedAt: 1,
        meta: '{}',
        size: 1,
        rows: 1,
        bytes: Buffer.from('x')
      } as never)
    await t.rejects(put(), SpoolUnavailable)
    t.equal(link.available, false)
    await t.rejects(put(), SpoolUnavailable)
    await t.rejects(link.ask<'drops'>({ ask: 'drops', dsn: 'd' }), SpoolUnavailable)
    for (let i = 0; i < 40; i++) link.push({ op: 'row', id: 2, seq: i, bytes: new Uint8Array(256 * 1024) } as never)
    t.equal(link.room(), undefined, 'no caller waits for room')
    await link.close()
    t.match(log.lines, [/does not answer/, /^envelopes cannot be stored/])
  }
)

t.test('a thread that hangs in SQLite does not keep the process alive after SHUTDOWN_TIMEOUT', async (t) => {
  for (const how of ['SIGTERM', 'twice'] as const) {
    const server = await startServer(
      t,
      { INBOX: 'off', SHUTDOWN_TIMEOUT: '2s' },
      'packages/shell/test/fixtures/whole-server.ts'
    )
    t.equal((await fetch(`${server.origin}/stuck-thread`)).status, 200)
    server.kill('SIGTERM')
    await server.logged('shutting down')
    if (how === 'twice') {
      await pause(600)
      server.kill('SIGTERM')
    }
    t.equal(await server.exited, 'SIGKILL')
    t.match(server.takeErrors(), [{ msg: 'a thread does not end: killing the process' }])
  }
})
