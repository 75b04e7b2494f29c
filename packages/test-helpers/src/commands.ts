import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { PATIENCE } from './patience.ts'

const PROJECT = join(import.meta.dirname, '../../..')

/** Folders that a clone does not have, or that git owns. The build is copied, so that it is not made again. */
const LEFT_OUT = new Set(['node_modules', '.git', '.hull', 'data'])

/** How a command is tried: one that serves is watched, any other has to end well. */
interface Trial {
  serves?: boolean
  /** Words after the command. */
  args?: string
  says?: RegExp
  /** Too slow for the suite. */
  slow?: boolean
}

const TRIALS: Record<string, Trial> = {
  'npm start': { serves: true },
  'npm run dev': { serves: true, slow: true },
  'npm test': { args: '-- packages/common/test/safe-callback.test.ts', says: /^[1-9]\d* passed, 0 failed$/m },
  'npm run test:quick': { args: '-- packages/common/test', says: /^[1-9]\d* passed, 0 failed$/m },
  'npm run build': { says: /building the pages/, slow: true },
  'npm run format': { says: /Finished/ },
  'npm run inbox': { serves: true, slow: true },
  'npm run inbox:build': { says: /building the pages/, slow: true },
  'npm run inbox:backup -- <file>': { args: '-- copy.db', says: /copied to .*copy\.db/ },
  'npm run inbox:restore -- <file>': { args: '-- copy.db', says: /is restored from .*copy\.db/ },
  'npm run inbox:move': { args: '-- --help', says: /hull-inbox move \[--back\]/ },
  'npm run inbox:export -- <file>': { args: '-- data.ndjson', says: /exported \d+ lines to data\.ndjson/ },
  'npm run inbox:replay -- <file>': {
    args: '-- data.ndjson --dsn=http://key@127.0.0.1:9/1 --types=issue',
    says: /sent to 127\.0\.0\.1/
  },
  'npm run routes': { says: /^GET +\/ +client\/pages\/index\.tsx/m },
  'npm run export': { says: /^wrote [1-9]\d* files to out/m },
  'npm run create -- <folder>': { args: '-- --help', says: /--no-inbox/ },
  'npm run bench': { args: '-- --help', says: /--measure/ },
  'npm run soak': {
    args: '-- scripts/test/soak/closed-connections.test.ts',
    says: /^[1-9]\d* passed, 0 failed$/m,
    slow: true
  }
}

/** The commands of the README's table, those that a row names beside its own included. */
export function readCommands(): string[] {
  const readme = readFileSync(join(PROJECT, 'README.md'), 'utf8')
  return [...readme.matchAll(/^\| `(npm [^`]+)` \| (.*) \|$/gm)].flatMap(([, command, meaning]) => [
    command!,
    ...[...meaning!.matchAll(/`(\w+:\w+)`/g)].map(([, name]) => `npm run ${name} -- <file>`)
  ])
}

/** @throws Error for a command that nobody said how to try */
export function findTrial(command: string): Trial {
  const trial = TRIALS[command]
  if (!trial)
    throw new Error(`${command} is in the README: say in packages/test-helpers/src/commands.ts how it is tried`)
  return trial
}

/** A copy of the project, outside of it, as somebody has it who has installed and built. */
export function copyProject(t: Test): string {
  const root = mkdtempSync(join(tmpdir(), 'hull-commands-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  cpSync(PROJECT, root, {
    recursive: true,
    filter: (path) => !LEFT_OUT.has(relative(PROJECT, path).split('/', 1)[0]!)
  })
  // What the build made beside dist.
  cpSync(join(PROJECT, '.hull/types'), join(root, '.hull/types'), { recursive: true })
  symlinkSync(join(PROJECT, 'node_modules'), join(root, 'node_modules'))
  return root
}

/** Runs a command of the README as a person types it, in a copy of the project. */
export async function tryCommand(t: Test, root: string, command: string, watched: number): Promise<void> {
  const trial = findTrial(command)
  const port = await findFreePort()
  const words = `${command.replace(/ --.*/, '')} ${trial.args ?? ''}`.trim().split(' ')
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PORT: String(port),
    HULL_CHROMIUM: process.env.HULL_CHROMIUM
  }
  const child = spawn('env', ['-u', 'NODE_OPTIONS', ...words], {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL')
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => output.push(text))
  const said = () => output.join('')
  const ended = once(child, 'close')
  if (trial.serves) await watchServer(t, { child, port, said, watched })
  const [code] = await ended
  // A person ends a server by Ctrl-C, which npm gets too: some versions of it tell that by their code.
  t.ok(
    code === 0 || (trial.serves && (code === 130 || code === null)),
    `${command} ends well, with ${code}: ${said().slice(-2_000)}`
  )
  if (trial.says) t.match(said(), trial.says, command)
  t.notMatch(said(), /"level":[56]0|Unhandled|Uncaught/, `${command} logs no error`)
}

interface Watched {
  child: ChildProcess
  port: number
  said: () => string
  /** Milliseconds. */
  watched: number
}

/** Opens pages for a while, and ends it by Ctrl-C. */
async function watchServer(t: Test, { child, port, said, watched }: Watched): Promise<void> {
  const get = (path: string) =>
    fetch(`http://localhost:${port}${path}`, { headers: { accept: 'text/html' } }).then(
      async (response) => ({ status: response.status, text: await response.text() }),
      () => undefined
    )
  const isUp = async () => said().includes('Server listening at') && (await get('/readyz'))?.status === 200
  for (const end = performance.now() + PATIENCE; !(await isUp()); await pause(200))
    if (performance.now() > end || child.exitCode !== null) throw new Error(`it does not serve: ${said()}`)
  const listening = said().split('Server listening at').length
  for (const end = performance.now() + watched; ;) {
    for (const path of ['/', '/lab', '/lab/items', '/lab/stream']) t.equal((await get(path))?.status, 200, path)
    t.match((await get('/'))?.text, /<\/html>/)
    if (performance.now() > end) break
    await pause(1_000)
  }
  t.equal(child.exitCode, null, 'it is still the same process')
  t.equal(said().split('Server listening at').length, listening, 'and the same server')
  process.kill(-child.pid!, 'SIGINT')
}

/** So that a format has something to do. */
export function spoilFormat(root: string): () => string {
  const file = join(root, 'bench/options.ts')
  writeFileSync(file, `${readFileSync(file, 'utf8')}export const spoilt   =   "x";\n`)
  return () => readFileSync(file, 'utf8')
}

export const isSlow = (command: string): boolean => findTrial(command).slow === true

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
