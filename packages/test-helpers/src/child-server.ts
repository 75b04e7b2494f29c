import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { bareEnv, bareNode } from './bare-node.ts'
import { createFolder } from './folder.ts'
import { failOnProblem, LogRecorder, type LogLine } from './log-recorder.ts'

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url))

export interface ChildServer {
  pid: number
  origin: string
  port: number
  /** Log lines so far. */
  lines: LogLine[]
  /** Lines of the output that are no log lines. */
  printed: string[]
  kill: (signal: NodeJS.Signals) => void
  /** Resolves with the first log line whose message begins with `msg`. */
  logged: (msg: string) => Promise<LogLine>
  /** Returns the error lines so far, and marks them as expected. */
  takeErrors: () => LogLine[]
  /**
   * Exit code, or the signal that ended the process. Reading it marks the end as expected; an unexpected end fails the
   * test.
   */
  readonly exited: Promise<number | string>
}

/**
 * Runs `fixture`, a server that logs JSON, in a process that ends with the test. The path begins at the project's
 * folder.
 */
export function startChildServer(t: Test, fixture: string, ...args: string[]): Promise<ChildServer> {
  return startChildServerBy(t, [], fixture, ...args)
}

/** Like {@link startChildServer}, but started by a command that replaces itself with the rest of its command line. */
export function startChildServerBy(
  t: Test,
  command: readonly string[],
  fixture: string,
  ...args: string[]
): Promise<ChildServer> {
  return startChild(t, [...command, process.execPath, fixture, ...args])
}

/**
 * Runs the built application on a free port of loopback, and ends it with the test.
 * @param script script of the project that starts the server
 * @param flags flags of Node
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
  // After a failed teardown, tap ends the process without running the others. The server must not outlive it.
  const killNow = () => child.kill('SIGKILL')
  process.once('exit', killNow)
  child.once('exit', () => process.off('exit', killNow))
  let isEndExpected = false
  const logs = new LogRecorder()
  failOnProblem(t, logs, async () => {
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

/**
 * Sends a signal, and waits until the server begins to stop.
 * @returns waits for the exit, with the milliseconds since the signal
 */
export async function terminate(server: ChildServer, signal: NodeJS.Signals = 'SIGTERM') {
  const start = performance.now()
  server.kill(signal)
  await server.logged('shutting down')
  return async () => ({ code: await server.exited, ms: performance.now() - start })
}

/** Messages of the log, without the address that the server listens on. */
export const messages = (server: ChildServer) =>
  server.lines.map(({ msg }) => msg).filter((msg) => !msg.startsWith('Server listening'))

/** Opens a connection, and sends `request` unchanged. */
export async function open(t: Test, { port }: ChildServer, request = '') {
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(request)
  return socket
}
