import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { toManifest } from '../../packages/create-hull/src/manifest.ts'
import { bareNode } from '@hull/test-helpers/bare-node.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { runChild } from '../child.js'
import { readNodeFlags } from '../node.js'

const root = join(import.meta.dirname, '../..')
const flags = readNodeFlags(root)

t.test('the flags of Node in package.json', async (t) => {
  t.test('are the same in the image', async (t) => {
    const commands = readFileSync(join(root, 'Dockerfile'), 'utf8').matchAll(/^CMD (\[.*\])$/gm)
    t.same(
      [...commands].map(([, words]) => JSON.parse(words!)),
      [
        ['node', ...flags, '--import=@hull/shell/start', 'packages/inbox/src/hull-inbox.ts'],
        ['node', ...flags, '--import=@hull/shell/start', 'server.ts']
      ]
    )
  })

  t.test('are the same in a new application', async (t) => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const { scripts } = toManifest(manifest, { folder: createFolder(t), hull: {} })
    t.match(scripts.start, `node ${flags.join(' ')} --import`)
  })

  t.test('are the same in the documentation', async (t) => {
    const text = readFileSync(join(root, 'docs/deploy.md'), 'utf8')
    t.same(
      [...text.matchAll(/\bnode (--.*) --import=\S+ server\.ts/g)].map(([, given]) => given),
      [flags.join(' '), flags.join(' ')]
    )
  })

  t.test('limit the young generation of the main thread and of worker threads', async (t) => {
    // A limit of 1 MiB, because without the flag the loop fills more than that.
    const small = flags.map((flag) => flag.replace(/^(--m(?:in|ax)-semi-space-size)=.*/, '$1=1'))
    const { output } = await runChild('env', bareNode(...small, '--eval', ALLOCATE), { cwd: root, capture: true })
    const sizes = output.trim().split('\n').map(Number)
    t.equal(sizes.length, 2)
    for (const size of sizes) t.ok(size > 0 && size <= 3 * 1024 ** 2, `${size} bytes`)
  })
})

/** Fills the young generation in a worker and in the main thread, and prints its largest size in each. */
const ALLOCATE = `
  const { isMainThread, Worker } = require('node:worker_threads')
  const { getHeapSpaceStatistics } = require('node:v8')
  const kept = []
  let largest = 0
  for (let count = 0; count < 3e6; count++) {
    kept[count % 2e5] = { count: [count] }
    if (count % 1e4 === 0)
      largest = Math.max(largest, getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size)
  }
  console.log(largest)
  if (isMainThread) new Worker(process.execArgv.at(-1), { eval: true, execArgv: [] })`
