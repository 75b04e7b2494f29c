import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { bareNode } from '@hull/test-helpers/bare-node.ts'
import { runChild } from '../../../../scripts/child.js'

const PRELOAD = join(import.meta.dirname, '../../src/compile-cache.ts')
const PROGRAM = `const { Worker } = require('node:worker_threads')
new Worker('console.log("thread", require("node:module").getCompileCacheDir())', { eval: true, execArgv: [] })`

t.test('compiled code is cached in the current folder, also by threads', async (t) => {
  const cwd = createFolder(t)
  const env = { PATH: process.env.PATH }
  const { output } = await runChild('env', bareNode(`--import=${PRELOAD}`, '-e', PROGRAM), { cwd, env, capture: true })
  t.ok(existsSync(join(cwd, '.hull/compile-cache')), output)
  t.match(output, `thread ${join(cwd, '.hull/compile-cache')}`)
})
