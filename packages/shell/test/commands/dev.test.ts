import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { bareEnv, bareNode } from '@hull/test-helpers/bare-node.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { eventually } from '@hull/test-helpers/patience.ts'

const COMMAND = join(import.meta.dirname, '../../src/commands/dev.ts')

/** Prints its word and its process id, and ends only on a signal. */
const SERVER = `import { readdirSync } from 'node:fs'
import { word } from './plugins/word.ts'
process.on('SIGINT', () => process.exit(0)).on('SIGTERM', () => process.exit(0))
console.log('says', word, 'with', readdirSync('.').includes('routes') ? readdirSync('routes').join() : 'none', process.pid, process.argv.slice(2).join(' '))
setInterval(() => {}, 1000)
`

const toCode = (word: string) => `export const word: string = '${word}'\n`

/** Waits until the watcher has reported the last change, so that it does not report it after the next start. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 300))

const folder = createFolder(t, { 'server.ts': SERVER })
const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
/** Replaces a file as `sed -i`, git and many editors do: renames a new file. */
const replace = (name: string, text: string) => {
  write('.next', text)
  renameSync(join(folder, '.next'), join(folder, name))
}

mkdirSync(join(folder, 'plugins'))
write('plugins/word.ts', toCode('one'))
const child = spawn('env', bareNode(COMMAND, '--watch=jobs', '--flag'), { cwd: folder, env: bareEnv(), detached: true })
const exited = once(child, 'exit')
t.teardown(() => child.kill('SIGKILL'))
let output = ''
child.stdout.on('data', (chunk) => (output += chunk))
child.stderr.on('data', (chunk) => (output += chunk))
const starts = () => [...output.matchAll(/^says (\w+) with (\S+) (\d+) (.*)$/gm)]
const says = (word: string, files = 'none') =>
  eventually(() => starts().at(-1)?.[1] === word && starts().at(-1)![2] === files)

t.test('hull-dev', async (t) => {
  await says('one')
  t.equal(starts()[0]![4], '--dev --flag')

  t.test('restarts each time a file is replaced by another', async () => {
    for (const word of ['two', 'three', 'four']) {
      await pause()
      replace('plugins/word.ts', toCode(word))
      await says(word)
    }
    t.match(output, 'hull: plugins/word.ts has changed. The server starts again.')
  })

  t.test('restarts when a file is overwritten', async () => {
    await pause()
    write('plugins/word.ts', toCode('five'))
    await says('five')
  })

  t.test('restarts after packages are installed', async () => {
    await pause()
    const before = starts().length
    write('package-lock.json', '{}')
    await eventually(() => starts().length > before)
  })

  t.test('restarts for variables of the browser', async () => {
    await pause()
    const before = starts().length
    write('.env.local', 'VITE_SHOP=1')
    await eventually(() => starts().length > before)
  })

  t.test('restarts once for many writes', async (t) => {
    await pause()
    const before = starts().length
    for (const word of ['a', 'b', 'c', 'six']) replace('plugins/word.ts', toCode(word))
    await says('six')
    await pause()
    t.equal(starts().length, before + 1)
  })

  t.test('restarts for files in folders that are created and removed', async () => {
    await pause()
    mkdirSync(join(folder, 'routes/api'), { recursive: true })
    await says('six', 'api')
    await pause()
    const before = starts().length
    write('routes/api/late.ts', '')
    await eventually(() => starts().length > before)
    await pause()
    rmSync(join(folder, 'routes'), { recursive: true })
    await says('six')
    await pause()
    mkdirSync(join(folder, 'jobs'))
    await eventually(() => starts().length > before + 2)
  })

  t.test('restarts for files and folders that links lead to', async () => {
    const shared = createFolder(t, { 'word.ts': toCode('linked'), '.env': '' })
    mkdirSync(join(shared, 'tools/deep'), { recursive: true })
    const link = (to: string, name: string) => symlinkSync(to, join(folder, name))
    await pause()
    rmSync(join(folder, 'plugins/word.ts'))
    link(join(shared, 'word.ts'), 'plugins/word.ts')
    await says('linked')
    await pause()
    writeFileSync(join(shared, 'next.ts'), toCode('replaced'))
    renameSync(join(shared, 'next.ts'), join(shared, 'word.ts'))
    await says('replaced')
    for (const [name, to, file] of [
      ['.env', join(shared, '.env'), '.env'],
      ['plugins/tools', join(shared, 'tools'), 'tools/deep/saw.ts'],
      ['plugins/around', join(folder, 'plugins'), 'tools/deep/saw.ts'],
      ['plugins/nowhere.ts', join(shared, 'missing.ts'), 'tools/deep/saw.ts']
    ] as const) {
      await pause()
      const before = starts().length
      link(to, name)
      await eventually(() => starts().length > before)
      await pause()
      writeFileSync(join(shared, file), '')
      await eventually(() => starts().length > before + 1)
    }
    for (const name of ['.env', 'plugins/tools', 'plugins/around', 'plugins/nowhere.ts']) rmSync(join(folder, name))
    await pause()
    rmSync(join(folder, 'plugins/word.ts'))
    write('plugins/word.ts', toCode('six'))
    await says('six')
  })

  t.test('waits after an error at the start, also for a missing file, and starts again', async (t) => {
    await pause()
    replace('plugins/word.ts', 'export const word = {')
    await eventually(() => output.includes('the server has ended'))
    replace('plugins/word.ts', toCode('seven'))
    await says('seven')
    await pause()
    rmSync(join(folder, 'server.ts'))
    await eventually(() => output.split('the server has ended').length === 3)
    replace('plugins/word.ts', toCode('eight'))
    await eventually(() => output.split('the server has ended').length === 4)
    replace('server.ts', SERVER)
    await says('eight')
    t.notMatch(output, /commands\/dev/, 'the command itself has no error')
  })

  t.test('does not restart for files that are not source files', async (t) => {
    await pause()
    const before = starts().length
    for (const name of ['notes.md', 'plugins/.word.ts.swp', 'plugins/word.ts~']) write(name, '')
    await pause()
    await pause()
    t.equal(starts().length, before)
  })

  t.test('ends with the server on one signal', async (t) => {
    const pid = Number(starts().at(-1)![3])
    child.kill('SIGINT')
    t.same(await exited, [0, null])
    t.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  })
})

t.test('with CHOKIDAR_USEPOLLING, restarts where the system reports no changes', async (t) => {
  const mount = createFolder(t, { 'server.ts': SERVER })
  mkdirSync(join(mount, 'plugins'))
  writeFileSync(join(mount, 'plugins/word.ts'), toCode('one'))
  const silent = `import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    fs.watch = () => ({ on() { return this }, close() {} })
    syncBuiltinESMExports()`
  const args = bareNode(`--import=data:text/javascript,${encodeURIComponent(silent)}`, COMMAND)
  const env = { ...bareEnv(), CHOKIDAR_USEPOLLING: '1' }
  const polling = spawn('env', args, { cwd: mount, env, detached: true })
  t.teardown(() => polling.kill('SIGKILL'))
  let text = ''
  polling.stdout.on('data', (chunk) => (text += chunk))
  await eventually(() => text.includes('says one'))
  writeFileSync(join(mount, 'plugins/word.ts'), toCode('two'))
  await eventually(() => text.includes('says two with none'))
  mkdirSync(join(mount, 'routes'))
  writeFileSync(join(mount, 'routes/late.ts'), '')
  await eventually(() => text.includes('says two with late.ts'))
})

t.test('a server ends when its command is killed', async (t) => {
  const killed = spawn('env', bareNode(COMMAND), { cwd: folder, env: bareEnv(), detached: true })
  t.teardown(() => killed.kill('SIGKILL'))
  const before = starts().length
  killed.stdout.on('data', (chunk) => (output += chunk))
  await eventually(() => starts().length > before)
  const pid = Number(starts().at(-1)![3])
  killed.kill('SIGKILL')
  await eventually(() => {
    try {
      return !process.kill(pid, 0)
    } catch {
      return true
    }
  })
})
