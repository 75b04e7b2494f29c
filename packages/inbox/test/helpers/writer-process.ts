import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'

const WRITER = join(import.meta.dirname, '../fixtures/inbox-writer.ts')

/** Starts a process that stores one event after another. */
export function startWriter(t: Test, file: string) {
  const child = spawn(process.execPath, [WRITER, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  let stored = 0
  const output = createInterface(child.stdout).on('line', () => stored++)
  return {
    /** Resolves when the process has stored this number of further events. */
    async stores(count: number) {
      for (const goal = stored + count; stored < goal;) await once(output, 'line')
    },
    async stop() {
      child.kill('SIGTERM')
      const [code] = await once(child, 'exit')
      return code
    }
  }
}
