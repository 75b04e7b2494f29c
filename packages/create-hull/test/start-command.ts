import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'

/**
 * Runs a command of npm that serves an application, on a free port, until the test ends.
 * @param args of npm, such as `['run', 'dev']`
 * @returns origin of the application
 */
export async function startCommand(t: Test, cwd: string, env: NodeJS.ProcessEnv, args: string[]): Promise<string> {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'create-hull-data-'))
  const child = spawn('env', ['-u', 'NODE_OPTIONS', 'npm', ...args], {
    cwd,
    env: { ...env, PORT: '0', DATA_DIR },
    detached: true,
    stdio: 'pipe'
  })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  t.teardown(async () => {
    // npm and its child processes are one process group.
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGTERM')
    await exited
    rmSync(DATA_DIR, { recursive: true, force: true })
  })
  child.stderr.resume()
  for await (const line of createInterface(child.stdout)) {
    const [, origin] = /Server listening at (http:[^"\s]+)/.exec(line) ?? []
    if (origin === undefined) continue
    child.stdout.resume()
    return origin
  }
  throw new Error(`npm ${args.join(' ')} exited before it listened`)
}
