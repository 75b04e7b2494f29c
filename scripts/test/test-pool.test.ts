import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import t, { type Test } from 'tap'
import { bareNode } from '@hull/test-helpers/bare-node.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { runChild } from '../child.js'

const PROJECT = join(import.meta.dirname, '../..')
const IMPORT = "import t from 'tap'\n"

/** Runs test files in this number of processes. @param files code of each file, by its name without `.test.ts` */
async function run(t: Test, jobs: number, files: Record<string, string>, ...options: string[]) {
  const { args, paths } = toArgs(t, jobs, files, options)
  const { output, code } = await runChild('env', args, { cwd: PROJECT, capture: true })
  const lines = output.split('\n')
  const find = (name: string) =>
    lines.filter((line) => line.includes(`  ${paths(name)}  `)).map((line) => line.split(' ', 1)[0])
  return { output, code, find, last: lines.at(-2) }
}

function toArgs(t: Test, jobs: number, files: Record<string, string>, options: string[] = []) {
  const named = Object.fromEntries(Object.entries(files).map(([name, code]) => [`${name}.test.ts`, IMPORT + code]))
  const folder = relative(PROJECT, createFolder(t, named))
  const paths = (name: string) => `${folder}/${name}.test.ts`
  const args = bareNode('scripts/test-pool.js', `--jobs=${jobs}`, ...options, ...Object.keys(files).map(paths))
  return { args, paths, folder: join(PROJECT, folder) }
}

/** A test file for each way to fail. */
const FAILING = {
  blocked: `t.setTimeout(100)
t.test('blocks', async () => {
  await new Promise((resolve) => setTimeout(resolve, 1))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})`,
  waiting: `t.setTimeout(100)
t.test('waits', () => new Promise((resolve) => setTimeout(resolve, 1e6)))`,
  exiting: `t.test('one', async (t) => { t.fail('an assertion before the exit') })
t.test('two', async () => process.exit(0))`,
  unloadable: "import './missing.ts'",
  throwing: `t.test('passes', async (t) => {
  setImmediate(() => { throw new Error('thrown late') })
  await new Promise((resolve) => setTimeout(resolve, 50))
  t.pass()
})`
}

t.test('a file that fails in any way has a line of its own, and all other files run', async (t) => {
  const { output, code, find, last } = await run(t, 2, { first: 't.pass()', ...FAILING, last: 't.pass()' })
  t.equal(code, 1, output)
  for (const name of Object.keys(FAILING)) t.same(find(name), ['FAILED'], `${name}: ${output}`)
  t.same([find('first'), find('last')], [['ok'], ['ok']], output)
  t.match(output, 'signal: SIGKILL', 'the process of a file that blocks is killed')
  t.match(output, 'timeout!', 'a file that waits fails at its time limit')
  t.match(
    output,
    /an assertion before the exit[^]*exitCode: 1/,
    'a file that exits shows assertions that failed before'
  )
  t.match(output, 'missing.ts')
  t.match(output, 'thrown late')
  t.match(last, /^\d+ passed, [5-9] failed$/)
})

t.test('an error after the result of the last file of a process is a failure', async (t) => {
  const late = `process.prependOnceListener('disconnect', () => { throw new Error('after the end') })\nt.pass()`
  const { output, code, find, last } = await run(t, 1, { first: 't.pass()', late })
  t.equal(code, 1, output)
  t.same([find('first'), find('late')], [['ok'], ['ok']], output)
  t.match(output, /after the end[^]*FAILED {2}the end of the process of \S+late\.test\.ts, with exit code [1-9]/)
  t.equal(last, '2 passed, 1 failed')
})

/** A test file that fails on its first run, and passes later. */
const UNSTABLE = `import { existsSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
const mark = fileURLToPath(import.meta.url) + '.ran'
const isSecond = existsSync(mark)
writeFileSync(mark, '')
t.ok(isSecond)
t.pass()`

t.test('with --retry, a file that failed runs again in a new process, and the second result counts', async (t) => {
  const files = { unstable: UNSTABLE, steady: 't.pass()' }
  const { output, code, find, last } = await run(t, 2, files, '--retry')
  t.equal(code, 0, output)
  t.same([find('unstable'), find('steady')], [['FAILED', 'ok'], ['ok']], output)
  t.match(output, /^UNSTABLE {2}\S+\/unstable\.test\.ts: passed when it ran again$/m)
  t.equal(last, '3 passed, 0 failed')

  const wrong = await run(t, 2, { unstable: UNSTABLE, wrong: 't.pass()\nt.fail()' }, '--retry')
  t.equal(wrong.code, 1, wrong.output)
  t.same(
    [wrong.find('unstable'), wrong.find('wrong')],
    [
      ['FAILED', 'ok'],
      ['FAILED', 'FAILED']
    ],
    wrong.output
  )
  t.equal(wrong.output.match(/^UNSTABLE/gm)?.length, 1)
  t.equal(wrong.last, '3 passed, 1 failed')
})

t.test('no file runs again without --retry, or after more than five have failed', async (t) => {
  const once = await run(t, 1, { unstable: UNSTABLE })
  t.equal(once.code, 1)
  t.same(once.find('unstable'), ['FAILED'], once.output)

  const many = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`unstable${at}`, UNSTABLE]))
  const { output, code, find, last } = await run(t, 2, many, '--retry')
  t.equal(code, 1, output)
  for (const name of Object.keys(many)) t.same(find(name), ['FAILED'], output)
  t.equal(last, '6 passed, 6 failed')
})

const writePid = (name: string, note = '') => `${note}
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
t.test('a process', async (t) => {
  writeFileSync(join(import.meta.dirname, '${name}'), \`\${process.pid} \${process.env.SEEN}\`)
  process.env.SEEN = '${name}'
  t.pass()
})`

t.test('files share a process, without the environment that an earlier file set', async (t) => {
  const { args, folder } = toArgs(t, 1, {
    a: writePid('a'),
    b: writePid('b'),
    c: writePid('c', '// Runs in a process of its own: reason')
  })
  const { output } = await runChild('env', args, { cwd: PROJECT, capture: true })
  t.match(output, '3 passed, 0 failed')
  const read = (name: string) => readFileSync(join(folder, name), 'utf8').split(' ')
  t.equal(read('a')[0], read('b')[0])
  t.equal(read('b')[1], 'undefined')
  t.not(read('a')[0], read('c')[0], 'a file with the comment has a process of its own')
})

t.test('the result of an asynchronous test is reported for its own file', async (t) => {
  const late = (name: string) => `await null
t.test('later', async (t) => {
  await new Promise((resolve) => setTimeout(resolve, 20))
  t.equal(1, ${name === 'a' ? 1 : 2}, 'assertion of ${name}')
})`
  const { output, find } = await run(t, 2, { a: late('a'), b: late('b') })
  t.same([find('a'), find('b')], [['ok'], ['FAILED']], output)
  t.notMatch(output, 'assertion of a')
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`${signal} ends the runner and its processes`, async (t) => {
    const waits = writePid('pid').replace('t.pass()', 'await new Promise((resolve) => setTimeout(resolve, 1e6))')
    const { args, folder } = toArgs(t, 1, { a: waits })
    const child = spawn('env', args, { cwd: PROJECT, stdio: 'ignore' })
    const ended = once(child, 'exit')
    const pid = await eventually(() => readPid(join(folder, 'pid')))
    child.kill(signal)
    t.same(await ended, [null, signal])
    await eventually(() => !isAlive(pid))
    t.pass('the process of the file has exited')
  })
}

function readPid(path: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(path, 'utf8'), 10) || undefined
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
