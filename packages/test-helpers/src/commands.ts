import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { findFreePort } from './free-port.ts'
import { PATIENCE } from './patience.ts'

const PROJECT = join(import.meta.dirname, '../../..')

/**
 * Folders that are not copied: a clone does not have them, or they belong to git. The build is copied, which saves
 * building again.
 */
const LEFT_OUT = new Set(['node_modules', '.git', '.hull', 'data'])

/** How to try a command. Pages of a server are requested for a while; any other command must end with exit code 0. */
interface Trial {
  serves?: boolean
  /** Arguments of the command. */
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

/** The commands of the README's table, including others that the description of a row names. */
export function readCommands(): string[] {
  const readme = readFileSync(join(PROJECT, 'README.md'), 'utf8')
  return [...readme.matchAll(/^\| `(npm [^`]+)` \| (.*) \|$/gm)].flatMap(([, command, meaning]) => [
    command!,
    ...[...meaning!.matchAll(/`(\w+:\w+)`/g)].map(([, name]) => `npm run ${name} -- <file>`)
  ])
}

/** @throws Error for a command without an entry in TRIALS */
export function findTrial(command: string): Trial {
  const trial = TRIALS[command]
  if (!trial) throw new Error(`${command} is in the README: add to packages/test-helpers/src/commands.ts how to try it`)
  return trial
}

/** Copies the project with its packages and its build to a folder outside of it. */
export function copyProject(t: Test): string {
  const root = mkdtempSync(join(tmpdir(), 'hull-commands-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  cpSync(PROJECT, root, {
    recursive: true,
    filter: (path) => !LEFT_OUT.has(relative(PROJECT, path).split('/', 1)[0]!)
  })
  // The build also writes here.
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
  // npm receives Ctrl-C as well, and some of its versions report that as their exit code.
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

/** Requests pages for a while, then ends the server by Ctrl-C. */
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

/** Changes the format of a file. @returns reads the file */
export function spoilFormat(root: string): () => string {
  const file = join(root, 'bench/options.ts')
  writeFileSync(file, `${readFileSync(file, 'utf8')}export const spoilt   =   "x";\n`)
  return () => readFileSync(file, 'utf8')
}

export const isSlow = (command: string): boolean => findTrial(command).slow === true
