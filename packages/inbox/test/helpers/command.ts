import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Test } from 'tap'
import { bareEnv } from '@hull/test-helpers/bare-node.ts'

const BIN = join(import.meta.dirname, '../../src/hull-inbox.ts')

/**
 * Starts `hull-inbox` in a folder, which is also its DATA_DIR, and ends it with the test.
 * @param command command that starts Node, such as `env` with variables
 */
export function startCommand(t: Test, folder: string, args: readonly string[], command: readonly string[] = []) {
  const [program = '', ...words] = [...command, process.execPath, BIN, ...args]
  const env = { ...bareEnv(), DATA_DIR: folder }
  const child = spawn(program, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  const [output, errors] = [child.stdout.toArray(), child.stderr.toArray()]
  const ended = once(child, 'exit').then(async ([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
    output: Buffer.concat(await output).toString(),
    /** The output of both streams. */
    said: Buffer.concat([...(await output), ...(await errors)]).toString()
  }))
  return { child, ended }
}

/** Runs the command until it exits. */
export const runCommand = (t: Test, folder: string, ...args: string[]) => startCommand(t, folder, args).ended
