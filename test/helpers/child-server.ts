import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'

export interface LogLine {
  level: number
  msg: string
  [key: string]: unknown
}

export interface ChildServer {
  pid: number
  origin: string
  port: number
  /** What it logged so far. */
  lines: LogLine[]
  kill: (signal: NodeJS.Signals) => void
  /** Resolves with the line, when it is logged. */
  logged: (msg: string) => Promise<LogLine>
  /** Its exit code, or the signal that ended it. */
  exited: Promise<number | string>
}

/** Runs `fixture`, a server that logs JSON, in a process of its own; ended with the test. */
export const startChildServer = (t: Test, fixture: string, ...args: string[]): Promise<ChildServer> =>
  startChildServerBy(t, [], fixture, ...args)

/** The same, started by a command that becomes it: the rest of the command line is Node's. */
export async function startChildServerBy(
  t: Test,
  command: readonly string[],
  fixture: string,
  ...args: string[]
): Promise<ChildServer> {
  const path = fileURLToPath(new URL(`../fixtures/${fixture}`, import.meta.url))
  const [program = '', ...rest] = [...command, process.execPath, path, ...args]
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const lines: LogLine[] = []
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
    lines.push(JSON.parse(line))
    for (const look of waiting) look()
  })
  const exited = Promise.all([once(child, 'exit'), once(output, 'close')]).then(([[code, signal]]) => code ?? signal)

  const { msg } = await logged('Server listening at ')
  const origin = msg.slice('Server listening at '.length)
  return {
    pid: child.pid!,
    origin,
    port: Number(new URL(origin).port),
    lines,
    kill: (signal) => {
      child.kill(signal)
    },
    logged,
    exited
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
