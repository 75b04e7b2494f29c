import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { openSessionSecret, readSessionSecrets } from '../../src/config/session-secret.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'

const FILE = 'session-secret'

/**
 * Creates a secret in each folder. Worker threads have the same process id, as replicas in containers have, and wait
 * for each other before each folder.
 */
const REPLICA = `
  const { parentPort, workerData: { module, folders, gate, count } } = require('node:worker_threads')
  import(module).then(({ openSessionSecret }) => {
    const log = { warn: ({ err }) => { throw err } }
    parentPort.postMessage(folders.map((folder, round) => {
      const arrived = (round + 1) * count
      if (Atomics.add(gate, 0, 1) + 1 === arrived) Atomics.notify(gate, 0)
      for (let seen; (seen = Atomics.load(gate, 0)) < arrived;) Atomics.wait(gate, 0, seen, 5)
      return openSessionSecret(folder, log)
    }))
  })`

function createRecorder() {
  const warnings: string[] = []
  return { warnings, log: { warn: (_details: object, message: string) => void warnings.push(message) } }
}

t.test('creates a secret and its folder, readable only by the owner, and keeps the secret', async (t) => {
  const folder = join(createFolder(t), 'deep', 'data')
  const { warnings, log } = createRecorder()
  const secret = openSessionSecret(folder, log)
  t.match(secret, /^[\w-]{43}$/)
  t.equal(openSessionSecret(folder, log), secret)
  t.equal(statSync(join(folder, FILE)).mode & 0o777, 0o600)
  t.same(readdirSync(folder), [FILE])
  t.same(warnings, [])
})

t.test('replicas with the same process id that start at the same time get the same secret', async (t) => {
  const root = createFolder(t)
  const folders = Array.from({ length: 50 }, (_, round) => join(root, String(round)))
  for (const folder of folders) mkdirSync(folder)
  const count = 4
  const workerData = {
    module: new URL('../../src/config/session-secret.ts', import.meta.url).href,
    folders,
    gate: new Int32Array(new SharedArrayBuffer(4)),
    count
  }
  const replicas = Array.from({ length: count }, () => new Worker(REPLICA, { eval: true, workerData }))
  const secrets = await Promise.all(replicas.map(async (replica) => (await once(replica, 'message'))[0] as string[]))
  const kept = folders.map((folder) => readFileSync(join(folder, FILE), 'utf8'))
  for (const own of secrets) t.strictSame(own, kept)
  for (const folder of folders) t.same(readdirSync(folder), [FILE], 'no temporary file remains')
})

t.test('if the folder cannot be written, the secret lasts as long as the process, with one warning', async (t) => {
  const folder = join(t.testdir({ file: '' }), 'file')
  const { warnings, log } = createRecorder()
  t.match(openSessionSecret(folder, log), /^[\w-]{43}$/)
  t.match(warnings, [/SESSION_SECRET/])
  t.equal(warnings.length, 1)
})

t.test('refuses a damaged file, names it, and does not change it', async (t) => {
  for (const damaged of ['', '\n', 'x'.repeat(31), `${' '.repeat(40)}short\n`]) {
    const folder = t.testdir({ [FILE]: damaged })
    const { warnings, log } = createRecorder()
    t.throws(() => openSessionSecret(folder, log), {
      code: 'APP_CONFIG_INVALID',
      message: new RegExp(`${join(folder, FILE)} holds \\d+ characters.*remove it`)
    })
    t.same(warnings, [])
    t.equal(readFileSync(join(folder, FILE), 'utf8'), damaged)
  }
})

t.test('accepts a secret written by hand, with its line break', async (t) => {
  const folder = createFolder(t)
  writeFileSync(join(folder, FILE), `${'s'.repeat(32)}\n`)
  t.equal(openSessionSecret(folder, createRecorder().log), 's'.repeat(32))
})

t.test('replicas that do not share a secret log a warning, and the previous secret is the second one', (t) => {
  const { log, warnings } = createRecorder()
  const sessionSecret = 's'.repeat(32)
  const dataDir = createFolder(t)
  t.same(readSessionSecrets({ sessionSecret, dataDir, databaseUrl: 'postgresql://db/hull' }, log), [sessionSecret])
  t.equal(warnings.length, 0)
  const previous = 'p'.repeat(32)
  t.same(readSessionSecrets({ sessionSecret, sessionSecretPrevious: previous, dataDir }, log), [
    sessionSecret,
    previous
  ])
  const [own] = readSessionSecrets({ dataDir, redisUrl: 'redis://cache' }, log)
  t.match(own, /^[\w-]{43}$/)
  t.match(warnings, [/^SESSION_SECRET is not set, so each replica/])
  t.end()
})
