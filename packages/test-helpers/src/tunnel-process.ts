import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import type { Sample } from './tunnel.ts'

export interface TunnelProcess {
  /** Resolves with whether the envelope was stored; false if the process ended first. */
  write: (sample: Sample) => Promise<boolean>
  /** Writes this many rows of an envelope that is never completed. */
  begin: (rows: number) => Promise<void>
  /** Writes the same envelope this many times. @returns peak memory in bytes */
  fill: (times: number, sample: Sample) => Promise<number>
  /** Sends SIGKILL; resolves when the process has exited. */
  kill: () => Promise<void>
}

/** A tunnel in a child process, which a test may kill; ended with the test. */
export async function startTunnel(t: Test, file: string, dsn: string): Promise<TunnelProcess> {
  const fixture = fileURLToPath(new URL('../../monitoring/test/fixtures/tunnel-process.ts', import.meta.url))
  const child = fork(fixture, [file, dsn], { serialization: 'advanced', execArgv: [] })
  const waiting = new Map<number, (kept: boolean) => void>()
  const exited = once(child, 'exit')
  let begun: (maxRss: number) => void = () => {}
  let numbers = 0
  let alive = true

  t.teardown(() => child.kill('SIGKILL'))
  child.on('message', (message: { kept?: number; lost?: number; begun?: number; maxRss?: number }) => {
    const number = message.kept ?? message.lost
    if (number !== undefined) waiting.get(number)?.(message.kept !== undefined)
    if (message.begun !== undefined) begun(message.maxRss ?? 0)
  })
  child.on('exit', () => {
    alive = false
    for (const resolve of waiting.values()) resolve(false)
  })
  // The process may have been killed. Its exit event settles the pending writes.
  child.on('error', () => {})
  await once(child, 'message')

  return {
    write(sample) {
      if (!alive) return Promise.resolve(false)
      const number = ++numbers
      return new Promise((resolve) => {
        waiting.set(number, (kept) => {
          waiting.delete(number)
          resolve(kept)
        })
        child.send({ number, sample }, () => {})
      })
    },
    begin(rows) {
      child.send({ begin: rows })
      return new Promise((resolve) => {
        begun = () => resolve()
      })
    },
    fill(times, sample) {
      child.send({ fill: times, sample })
      return new Promise((resolve) => {
        begun = resolve
      })
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    }
  }
}
