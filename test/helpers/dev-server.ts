import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import { bareNode } from './bare-node.ts'
import { createFolder } from './folder.ts'

const PROJECT = join(import.meta.dirname, '../..')
const PARTS = ['client', 'lib', 'plugins', 'routes', 'server.ts', 'vite.config.ts', 'tsconfig.json', 'package.json']

export type DevServer = Awaited<ReturnType<typeof startDevServer>>

/** `npm run dev`'s server on a copy of the project, which the test may edit; ended with the test. */
export async function startDevServer(t: Test, env: Record<string, string> = {}) {
  const root = createFolder(t)
  for (const part of PARTS) cpSync(join(PROJECT, part), join(root, part), { recursive: true })

  // On a leash: it ends with this process, whatever ends that.
  const leash = pathToFileURL(join(PROJECT, 'scripts/leash.js')).href
  const child = spawn('env', bareNode('--import', leash, 'server.ts', '--dev'), {
    cwd: root,
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', DATA_DIR: join(root, 'data'), INBOX: 'off', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc']
  })
  t.teardown(async () => {
    if (child.exitCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  const output: string[] = []
  const origin = await new Promise<string>((resolve, reject) => {
    createInterface(child.stderr!).on('line', (line) => output.push(line))
    createInterface(child.stdout!).on('line', (line) => {
      output.push(line)
      const address = /Server listening at (http:[^"]+)"/.exec(line)?.[1]
      if (address) resolve(address)
    })
    child.once('exit', () => {
      reject(new Error(`the server ended before it listened:\n${output.join('\n')}`))
    })
  })

  return {
    origin,
    /** What it wrote so far, a line each. */
    output,
    /** Writes a file of the copy. */
    write(file: string, text: string) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    },
    /** Replaces a piece of a file of the copy. */
    edit(file: string, from: string, to: string) {
      const text = readFileSync(join(root, file), 'utf8')
      if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
      writeFileSync(join(root, file), text.replace(from, to))
    }
  }
}
