import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'

export interface LogLine {
  level: number
  msg: string
  [key: string]: unknown
}

export interface ChildServer {
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
export async function startChildServer(t: Test, fixture: string, ...args: string[]): Promise<ChildServer> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(`../fixtures/${fixture}`, import.meta.url)), ...args], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
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
