import { setTimeout as pause } from 'node:timers/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { bareEnv, bareNode } from '@hull/test-helpers/bare-node.ts'
import { messages, open, startChildServer, terminate } from '@hull/test-helpers/child-server.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { runChild } from '../../../../scripts/child.js'

const start = (t: Test, timeout = 4_000, closing = '') =>
  startChildServer(t, 'packages/shell/test/fixtures/shutdown-server.ts', String(timeout), closing)

t.test('closing with obstacles', async (t) => {
  t.test('closes a response that never ends in time to exit with 0, and logs it once', async (t) => {
    const server = await start(t, 1_500)
    const response = await fetch(`${server.origin}/endless`)
    const exit = await terminate(server)
    await t.rejects(response.text(), { message: 'terminated' })
    const { code, ms } = await exit()
    t.equal(code, 0)
    t.ok(ms > 1_000, `${ms} ms`)
    t.match(
      server.lines.filter(({ level }) => level >= 40),
      [{ level: 40, cut: 1 }]
    )
    t.same(messages(server).slice(-3, -1), ['responses cut: they were still open at the drain timeout', 'on close'])
  })

  t.test('treats a second signal at once as a copy of the first, and exits at once on a later one', async (t) => {
    const server = await start(t)
    const response = await fetch(`${server.origin}/endless`)
    const exited = terminate(server, 'SIGINT')
    server.kill('SIGTERM')
    const exit = await exited
    t.equal(await Promise.race([exit(), pause(600, 'still there')]), 'still there')
    server.kill('SIGINT')
    await t.rejects(response.text())
    t.equal((await exit()).code, 1)
    t.match(messages(server).at(-1), 'second signal: exiting at once')
  })

  t.test('closes although a drain function fails or hangs', async (t) => {
    for (const closing of ['function fails', 'function hangs']) {
      const server = await start(t, 1_500, closing)
      const exit = await terminate(server)
      t.equal((await exit()).code, 0, closing)
      t.equal(messages(server).at(-1), 'closed')
      t.match(server.takeErrors(), [{ level: 50, msg: /^a drain function / }])
    }
  })

  t.test('exits with 1 if closing fails, or hangs until the timeout', async (t) => {
    for (const [closing, msg] of [
      ['close hangs', 'not closed in time: exiting'],
      ['close fails', 'closing failed']
    ] as const) {
      const server = await start(t, 1_500, closing)
      const exit = await terminate(server)
      t.equal((await exit()).code, 1, closing)
      t.equal(messages(server).at(-1), msg)
      t.match(server.takeErrors(), [{ msg }])
    }
  })
})

t.test('a server that cannot listen names the setting to change, and exits with 1', async (t) => {
  const first = await createListeningApp(t)
  const { port } = new URL(first.origin)
  for (const [env, refusal] of [
    [{ PORT: port }, { code: 'EADDRINUSE', msg: `port ${port} is in use: set PORT, or end the process that uses it` }],
    [{ HOST: 'nowhere.invalid' }, { code: /^E(NOTFOUND|AI_AGAIN)$/, msg: 'nowhere.invalid has no address: set HOST' }],
    [{ HOST: '192.0.2.1' }, { code: 'EADDRNOTAVAIL', msg: '192.0.2.1 is no address of this machine: set HOST' }]
  ] as const) {
    const { code, output } = await runChild('env', bareNode('server.ts'), {
      cwd: join(import.meta.dirname, '../../../..'),
      env: { ...bareEnv(), HOST: '127.0.0.1', PORT: '0', INBOX: 'off', DATA_DIR: createFolder(t), ...env },
      capture: true
    })
    t.equal(code, 1)
    const fatal = output.split('\n').filter((line) => line.includes('"level":60'))
    t.match(
      fatal.map((line): unknown => JSON.parse(line)),
      [refusal]
    )
    t.notMatch(output, /^ +at /m, 'the output has no stack trace')
  }
})

t.test('closing on an uncaught error', async (t) => {
  t.test('logs the error once as fatal, waits for other responses, and exits with 1', async (t) => {
    const server = await start(t)
    const stream = await fetch(`${server.origin}/stream?ms=500`)
    await fetch(`${server.origin}/throw`).catch(() => {})
    await server.logged('uncaught error')
    t.equal(await stream.text(), 'first last')
    t.equal(await server.exited, 1)
    t.same(messages(server), ['uncaught error: shutting down', 'drained', 'on close', 'closed'])
    t.match(server.takeErrors(), [
      { level: 60, msg: 'uncaught error: shutting down', err: { message: 'thrown without a handler' } }
    ])
  })

  t.test('continues after an unhandled rejection, also while closing', async (t) => {
    const server = await start(t)
    const stream = await fetch(`${server.origin}/stream?ms=500`)
    await fetch(`${server.origin}/reject`)
    await server.logged('unhandled rejection')
    const late = await open(t, server, 'GET /reject HTTP/1.1\r\nHost: a\r\n')
    const exit = await terminate(server)
    late.write('\r\n')
    t.equal(await stream.text(), 'first last')
    t.equal((await exit()).code, 0)
    t.match(server.takeErrors(), [{ msg: 'unhandled rejection' }, { msg: 'unhandled rejection' }])
  })

  t.test('exits at once after another uncaught error', async (t) => {
    const server = await start(t)
    const endless = await fetch(`${server.origin}/endless`)
    const next = fetch(`${server.origin}/slow?ms=300`).catch(() => {})
    const socket = await open(t, server, 'GET /throw HTTP/1.1\r\nHost: a\r\n')
    await fetch(`${server.origin}/throw`)
    await server.logged('uncaught error: shutting down')
    socket.write('\r\n')
    await t.rejects(endless.text())
    t.equal(await server.exited, 1)
    t.equal(messages(server).at(-1), 'uncaught error while shutting down: exiting at once')
    t.equal(server.takeErrors().length, 2)
    await next
  })
})
