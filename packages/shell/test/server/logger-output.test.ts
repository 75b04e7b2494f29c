import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'

const FIXTURE = join(import.meta.dirname, '../fixtures/log-lines.ts')

const messagesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { msg: string }).msg)

/** Runs the fixture. Returns its output, and the time from its last line until that line is received. */
async function readOutput(t: Test, how: string) {
  const child = spawn(process.execPath, [FIXTURE, how])
  t.teardown(() => child.kill('SIGKILL'))
  const received = once(child.stdout, 'data') as Promise<[Buffer]>
  await once(child.stderr, 'data')
  const logged = performance.now()
  const [text] = await received
  return { messages: messagesOf(String(text)), waited: performance.now() - logged }
}

/** Runs the fixture until it exits, with stdout as a pipe or a file. */
async function runToEnd(t: Test, how: string, into: 'pipe' | 'file') {
  const path = join(createFolder(t), 'log')
  const file = openSync(path, 'w')
  const child = spawn(process.execPath, [FIXTURE, how], {
    stdio: ['ignore', into === 'pipe' ? 'pipe' : file, 'ignore']
  })
  closeSync(file)
  let text = ''
  child.stdout?.on('data', (chunk: Buffer) => (text += String(chunk)))
  const [code] = (await once(child, 'close')) as [number]
  return { code, messages: messagesOf(into === 'pipe' ? text : readFileSync(path, 'utf8')) }
}

t.test('an error is written to stdout at once, after the earlier lines', async (t) => {
  const { messages, waited } = await readOutput(t, 'error')
  t.same(messages, ['first', 'second'])
  t.ok(waited < 400, `${waited} ms`)
})

t.test('another line is delayed for a short time', async (t) => {
  const { messages, waited } = await readOutput(t, 'stays')
  t.same(messages, ['first'])
  t.ok(waited > 200 && waited < 3_000, `${waited} ms`)
})

for (const into of ['pipe', 'file'] as const) {
  t.test(`no line is lost at the exit, if stdout is a ${into}`, async (t) => {
    t.same(await runToEnd(t, 'ends', into), { code: 0, messages: ['first'] })
    t.same(await runToEnd(t, 'process.exit', into), { code: 3, messages: ['first'] })
    t.same(await runToEnd(t, 'uncaught', into), { code: 1, messages: ['first'] })
    t.same(await runToEnd(t, 'late', into), { code: 3, messages: ['first', 'second'] }, 'logged during the exit')
    const { code, messages } = await runToEnd(t, 'many', into)
    t.equal(code, 0)
    t.equal(messages.length, 1_001)
  })
}

t.test('no line is synced to the disk before the exit', async (t) => {
  t.same(await runToEnd(t, 'syncs', 'file'), { code: 0, messages: ['first', 'second', 'third', '0'] })
})

t.test('output to a full disk does not end the process, and does not delay its exit', async (t) => {
  for (const [how, code] of [
    ['many', 0],
    ['error later', 0],
    ['process.exit', 3],
    ['late', 3]
  ] as const) {
    const file = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, [FIXTURE, how], { stdio: ['ignore', file, 'ignore'] })
    t.teardown(() => child.kill('SIGKILL'))
    closeSync(file)
    t.same(await once(child, 'exit'), [code, null], how)
  }
})

t.test('the end callback is called, even if the reader has closed the pipe', async (t) => {
  for (const [how, code] of [
    ['process.exit', 3],
    ['ends', 0]
  ] as const) {
    const child = spawn(process.execPath, [FIXTURE, how], { stdio: ['ignore', 'pipe', 'ignore'] })
    t.teardown(() => child.kill('SIGKILL'))
    child.stdout.destroy()
    t.same(await once(child, 'exit'), [code, null])
  }
})
