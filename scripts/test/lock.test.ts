import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { withLock } from '../lock.js'

const lockModule = pathToFileURL(join(import.meta.dirname, '../lock.js')).href

t.test('takes over the lock of a process that has exited', async (t) => {
  const path = join(t.testdir({}), 'lock')
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  writeFileSync(path, String(pid))
  const held = await withLock(path, async () => readFileSync(path, 'utf8'))
  t.equal(held, String(process.pid))
  t.notOk(existsSync(path), 'the lock file is removed')
})

t.test('takes over a lock that is older than any install, even if a process has its process id', async (t) => {
  const path = join(t.testdir({ lock: String(process.ppid) }), 'lock')
  const hourAgo = Date.now() / 1_000 - 3_600
  utimesSync(path, hourAgo, hourAgo)
  t.equal(await withLock(path, async () => 'worked'), 'worked')
})

t.test('releases the lock when the work fails', async (t) => {
  const path = join(t.testdir({}), 'lock')
  await t.rejects(
    withLock(path, async () => {
      throw new Error('no network')
    }),
    { message: 'no network' }
  )
  t.notOk(existsSync(path))
})

t.test('lets only one of many processes work at a time, also after the holder has died', async (t) => {
  const folder = t.testdir({ log: '' })
  const path = join(folder, 'lock')
  writeFileSync(path, String(spawnSync(process.execPath, ['-e', '']).pid))
  const program = `
    import { appendFileSync } from 'node:fs'
    import { setTimeout as sleep } from 'node:timers/promises'
    const { withLock } = await import(${JSON.stringify(lockModule)})
    await withLock(${JSON.stringify(path)}, async () => {
      appendFileSync(${JSON.stringify(join(folder, 'log'))}, 'in\\n')
      await sleep(100)
      appendFileSync(${JSON.stringify(join(folder, 'log'))}, 'out\\n')
    })`
  const children = Array.from({ length: 4 }, () => spawn(process.execPath, ['--input-type=module', '-e', program]))
  const endings = await Promise.all(children.map((child) => once(child, 'close')))
  t.same(
    endings.map(([code]) => code),
    [0, 0, 0, 0]
  )
  t.equal(readFileSync(join(folder, 'log'), 'utf8'), 'in\nout\n'.repeat(4))
})
