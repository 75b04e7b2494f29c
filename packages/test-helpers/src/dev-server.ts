import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { copyApplication } from './application-copy.ts'
import { bareNode } from './bare-node.ts'
import { createFolder } from './folder.ts'
import { findFreePort } from './free-port.ts'
import { PATIENCE } from './patience.ts'

export interface DevServerOptions {
  env?: Record<string, string>
  /** Changes the copy before the start. */
  prepare?: (root: string) => void
}

/** Runs `npm run dev` on a copy of the project, which the test may edit; ended with the test. */
export async function startDevServer(t: Test, { env = {}, prepare }: DevServerOptions = {}) {
  const root = createFolder(t)
  copyApplication(root)
  prepare?.(root)

  const port = await findFreePort()
  const child = spawn('env', bareNode('packages/shell/src/commands/dev.ts', '--watch=packages'), {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      // As with `npm run dev`, restarts use it. It is removed with the copy.
      NODE_COMPILE_CACHE: join(root, '.hull/compile-cache'),
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: join(root, 'data'),
      INBOX: 'off',
      ...env
    },
    // A process group, so that the command and its server are killed together.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const kill = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // All processes of the group have ended.
    }
  }
  // If a test file ends early, no teardown runs.
  process.once('exit', kill)
  const exited = once(child, 'exit')
  t.teardown(async () => {
    kill()
    process.off('exit', kill)
    await exited
  })
  const output: string[] = []
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stderr!).on('line', (line) => output.push(line))
    createInterface(child.stdout!).on('line', (line) => {
      output.push(line)
      if (line.includes('Server listening at ')) resolve()
    })
    child.once('exit', () => {
      reject(new Error(`the server ended before it listened:\n${output.join('\n')}`))
    })
  })

  const origin = `http://127.0.0.1:${port}`
  return {
    origin,
    /** Lines of the output so far. */
    output,
    /** Resolves when the server answers. */
    async isUp() {
      for (const end = performance.now() + PATIENCE; performance.now() < end;) {
        const answer = await fetch(`${origin}/healthz`).catch(() => undefined)
        if (answer?.ok) return
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      throw new Error(
        `the server does not answer:\n${output.filter((line) => !line.includes('"msg":"request"')).join('\n')}`
      )
    },
    /** Resolves when the server answers, and has not restarted for a second. */
    async isSettled() {
      const countStarts = () => output.filter((line) => line.includes('Server listening at ')).length
      for (let starts = -1; starts !== countStarts();) {
        starts = countStarts()
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        await this.isUp()
      }
    },
    /** Waits for a page to contain a text. The server may restart meanwhile. @returns false after a minute */
    async says(path: string, text: string): Promise<boolean> {
      // The watcher takes two changes in quick succession for one.
      await new Promise((resolve) => setTimeout(resolve, 100))
      for (const end = performance.now() + PATIENCE; performance.now() < end;) {
        const answer = await fetch(origin + path, { headers: { accept: 'text/html' } }).catch(() => undefined)
        if ((await answer?.text().catch(() => ''))?.includes(text)) return true
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      return false
    },
    /** Writes a file of the copy. */
    write(file: string, text: string) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      overwrite(join(root, file), text)
    },
    /** Removes a file of the copy. */
    remove(file: string) {
      rmSync(join(root, file))
    },
    /** Replaces a piece of a file of the copy. */
    edit(file: string, from: string, to: string) {
      const text = readFileSync(join(root, file), 'utf8')
      if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
      overwrite(join(root, file), text.replace(from, to))
    }
  }
}

/**
 * Writes a file in one step. With two, Vite might read the file between them and miss the second. If the old text is
 * longer, line breaks fill the rest.
 */
function overwrite(path: string, text: string) {
  if (!existsSync(path)) return writeFileSync(path, text)
  const fd = openSync(path, 'r+')
  const bytes = Buffer.from(text)
  const rest = Math.max(0, fstatSync(fd).size - bytes.length)
  writeSync(fd, Buffer.concat([bytes, Buffer.alloc(rest, '\n')]), 0, bytes.length + rest, 0)
  closeSync(fd)
}
