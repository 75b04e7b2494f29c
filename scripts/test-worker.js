import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { t as tap } from 'tap'

/*
 * A process that runs test files one after another, so that tap, the application and the browser are loaded once for
 * many files. Each file is a subtest with its own `t`. scripts/test-pool.js starts this process and sends the files.
 */

/** Key of the global that is the `t` of the file that is being loaded. */
const kTest = Symbol.for('hull.test')

/**
 * URL of the module `tap` for a test file; each file has another URL, so that it reads the global while it is loaded.
 */
const toTapUrl = (/** @type {string} */ file) =>
  `data:text/javascript,export default globalThis[Symbol.for('hull.test')] // ${encodeURIComponent(file)}`

registerHooks({
  resolve(specifier, context, nextResolve) {
    const file = context.parentURL
    if (specifier !== 'tap' || !file?.endsWith('.test.ts')) return nextResolve(specifier, context)
    return { url: toTapUrl(file), format: 'module', shortCircuit: true }
  }
})

const environment = { ...process.env }
tap.setTimeout(0)
process.on('message', (/** @type {{ file: string, timeout: number }} */ { file, timeout }) => {
  void runFile(file, timeout)
})
process.once('disconnect', () => process.exit())

/**
 * @param {string} file path from the project's folder
 * @param {number} timeout milliseconds
 */
async function runFile(file, timeout) {
  /** @type {import('tap').Counts | undefined} */
  let counts
  const result = await tap.test(file, { timeout, at: null, stack: '' }, async (t) => {
    counts = t.counts
    const setTimeout = t.setTimeout.bind(t)
    t.setTimeout = (limit) => {
      process.send?.({ limit })
      setTimeout(limit)
    }
    Object.assign(globalThis, { [kTest]: t })
    await import(pathToFileURL(join(process.cwd(), file)).href)
  })
  // tap calls `unref` on the IPC channel; with `ref` the process stays alive for the next file.
  process.channel?.ref()
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
  const { pass = 0, fail = 0, skip = 0, todo = 0 } = counts ?? {}
  process.send?.({ result: { ok: result?.ok ?? false, passed: pass, failed: fail, skipped: skip + todo } })
}
