import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { bareEnv, bareNode } from './bare-node.ts'
import { createFolder } from './folder.ts'
import { failOnTrouble, LogRecorder, type LogLine } from './log-recorder.ts'

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url))

export interface ChildServer {
  pid: number
  origin: string
  port: number
  /** What it logged so far. */
  lines: LogLine[]
  /** What it wrote that is no line of the log. */
  printed: string[]
  kill: (signal: NodeJS.Signals) => void
  /** Resolves with the line, when it is logged. */
  logged: (msg: string) => Promise<LogLine>
  /** The error lines so far; from now on the test has asked for them. */
  takeErrors: () => LogLine[]
  /** Its exit code, or the signal that ended it. A test that asks expects the end; any other end fails it. */
  readonly exited: Promise<number | string>
}

/** Runs `fixture`, a server that logs JSON, named from the project's folder, in a process of its own; ended with the test. */
export function startChildServer(t: Test, fixture: string, ...args: string[]): Promise<ChildServer> {
  return startChildServerBy(t, [], fixture, ...args)
}

/** The same, started by a command that becomes it: the rest of the command line is Node's. */
export function startChildServerBy(
  t: Test,
  command: readonly string[],
  fixture: string,
  ...args: string[]
): Promise<ChildServer> {
  return startChild(t, [...command, process.execPath, fixture, ...args])
}

/**
 * Runs the application itself, as it was built, on a free port of loopback; ended with the test.
 * @param script another script that runs it, of the project
 * @param flags of Node
 */
export function startServer(
  t: Test,
  env: Record<string, string> = {},
  script = 'server.ts',
  flags: readonly string[] = []
): Promise<ChildServer> {
  const own = {
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: env.DATA_DIR ?? createFolder(t),
    MAX_EVENT_LOOP_DELAY: '0',
    RENDER_TIMEOUT: '60s',
    ...env
  }
  return startChild(t, ['env', ...bareNode(...flags, script)], { ...bareEnv(), ...own })
}

async function startChild(t: Test, command: string[], env: NodeJS.ProcessEnv = process.env): Promise<ChildServer> {
  const [program = '', ...args] = command
  const child = spawn(program, args, { cwd: PROJECT, env, stdio: ['ignore', 'pipe', 'inherit'] })
  // A teardown that fails lets tap end the process without the others, and an open server would outlive it.
  const killNow = () => child.kill('SIGKILL')
  process.once('exit', killNow)
  child.once('exit', () => process.off('exit', killNow))
  let isEndExpected = false
  const logs = new LogRecorder()
  failOnTrouble(t, logs, async () => {
    const ended = child.exitCode ?? child.signalCode
    if (ended === null) child.kill('SIGKILL')
    await exited
    return isEndExpected ? undefined : (ended ?? undefined)
  })
  const { lines } = logs
  const printed: string[] = []
  const waiting = new Set<() => void>()
  const logged = (msg: string) =>
    new Promise<LogLine>((resolve) => {
      const look = () => {
        const line = lines.find((line) => line.msg.startsWith(msg))
        if (line) resolve(line)
      }
      waiting.add(look)
      look()
    })
  const output = createInterface(child.stdout)
  output.on('line', (line) => {
    if (line.startsWith('{')) logs.write(line)
    else printed.push(line)
    for (const look of waiting) look()
  })
  const exited = Promise.all([once(child, 'exit'), once(output, 'close')]).then(([[code, signal]]) => code ?? signal)

  const early = exited.then((how) => {
    throw new Error(`the server ended with ${how} before it listened`)
  })
  const { msg } = await Promise.race([logged('Server listening at '), early])
  early.catch(() => {})
  const origin = msg.slice('Server listening at '.length)
  return {
    pid: child.pid!,
    origin,
    port: Number(new URL(origin).port),
    lines,
    printed,
    takeErrors: () => logs.takeErrors(),
    kill: (signal) => {
      isEndExpected = true
      child.kill(signal)
    },
    logged,
    get exited() {
      isEndExpected = true
      return exited
    }
  }
}

/** Signals, and measures the milliseconds until the process is gone. */
export async function terminate(server: ChildServer, signal: NodeJS.Signals = 'SIGTERM') {
  const start = performance.now()
  server.kill(signal)
  await server.logged('shutting down')
  return async () => ({ code: await server.exited, ms: performance.now() - start })
}

/** What it logged, without where it listens. */
export const messages = (server: ChildServer) =>
  server.lines.map(({ msg }) => msg).filter((msg) => !msg.startsWith('Server listening'))

/** A connection of its own, on which the test writes what it wants. */
export async function open(t: Test, { port }: ChildServer, request = '') {
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(request)
  return socket
}
