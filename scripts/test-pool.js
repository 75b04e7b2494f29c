import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createReport, printTotals } from './report.js'

/*
 * Runs test files in a few processes. A process runs one file after another, so modules that the files share are loaded
 * and compiled once per process. A process is replaced after a failure. scripts/run.js starts `node
 * scripts/test-pool.js
 * --jobs=<files in parallel> --timeout=<seconds per file> [--retry] <files>`. With `--retry`, failed files run once
 * more.
 */

/**
 * Milliseconds after a file's time limit until its process is killed. In this time tap can report the timeout itself.
 */
const GRACE = 15_000

/** Milliseconds for a process to exit by itself. */
const END_TIMEOUT = 5_000

/**
 * Failed files above which none runs again, because so many failures have another cause than a busy machine. A guess.
 */
const MAX_RETRIES = 5

/** Comment that marks a test file which changes or measures its process, and must not share it. */
const ALONE = /^(\/\/| \*) Runs in a process of its own\b/m

const root = join(import.meta.dirname, '..')

/** @typedef {import('./report.js').Totals & { ok: boolean }} Result */

/** @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set()

const { values, positionals } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1' },
    timeout: { type: 'string', default: '300' },
    retry: { type: 'boolean', default: false }
  },
  allowPositionals: true
})
const timeout = Number(values.timeout) * 1_000
const alone = new Set(positionals.filter((file) => ALONE.test(readFileSync(join(root, file), 'utf8'))))
// Files that need a new process come first, so that no shared process must end for them.
const queue = [...alone, ...positionals.filter((file) => !alone.has(file))]
/** @type {Map<string, Result>} the last result of each file */
const results = new Map()
/** Number of processes that exited with an error after the result of their last file. */
let failedEnds = 0
let isStopping = false

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.once(signal, () => stop(signal))

await runAll(Number(values.jobs))
const failed = listFailed()
if (values.retry && !isStopping && failed.length > 0 && failed.length <= MAX_RETRIES) await runAgain(failed)
const totals = sumResults()
printTotals(totals)
process.exitCode = totals.failed > 0 ? 1 : 0

/** Runs the files of the queue. @param {number} jobs files in parallel */
async function runAll(jobs) {
  await Promise.all(Array.from({ length: Math.min(jobs, queue.length) }, runQueue))
}

/**
 * Runs files once more, one at a time, each in a new process. The second result counts.
 * @param {string[]} files
 */
async function runAgain(files) {
  process.stdout.write('Running the failed files again, one at a time\n')
  for (const file of files) alone.add(file)
  queue.push(...files)
  await runAll(1)
  const stillFailed = listFailed()
  for (const file of files)
    if (!stillFailed.includes(file)) process.stdout.write(`UNSTABLE  ${file}: passed when it ran again\n`)
}

function listFailed() {
  return [...results.keys()].filter((file) => !results.get(file)?.ok)
}

function sumResults() {
  const totals = { passed: 0, failed: failedEnds, skipped: 0 }
  for (const { ok, passed, failed, skipped } of results.values()) {
    totals.passed += passed
    totals.failed += ok ? failed : Math.max(failed, 1)
    totals.skipped += skipped
  }
  return totals
}

async function runQueue() {
  /** @type {ReturnType<typeof startWorker> | undefined} */
  let worker
  let isFailed = false
  async function endWorker() {
    const hasEndedWell = await worker?.end(isFailed)
    if (hasEndedWell === false) failedEnds++
    worker = undefined
  }
  for (let file; (file = queue.shift());) {
    worker ??= startWorker()
    const result = await worker.run(file)
    results.set(file, result)
    isFailed = !result.ok
    if (isFailed || alone.has(file)) await endWorker()
  }
  await endWorker()
}

function startWorker() {
  const child = fork(join(root, 'scripts/test-worker.js'), { cwd: root, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  children.add(child)
  const report = createReport((line) => process.stdout.write(`${line}\n`))
  const stdout = /** @type {import('node:stream').Readable} */ (child.stdout)
  stdout.setEncoding('utf8').on('data', report.write)
  const closed = once(child, 'exit').then(async ([code, signal]) => {
    children.delete(child)
    // A child process of a test file may keep the output open.
    const timer = setTimeout(() => stdout.destroy(), END_TIMEOUT)
    if (!stdout.closed) await once(stdout, 'close')
    clearTimeout(timer)
    return { code, signal }
  })
  /** @type {(message: { limit: number } | { result: Result }) => void} */
  let listen = () => {}
  let last = ''
  child.on('message', (/** @type {any} */ message) => listen(message))
  return { run, end }

  /**
   * @param {string} file
   * @returns {Promise<Result>}
   */
  async function run(file) {
    const startedAt = performance.now()
    last = file
    /** @type {NodeJS.Timeout | undefined} */
    let timer
    const setLimit = (/** @type {number} */ limit) => {
      clearTimeout(timer)
      timer = setTimeout(() => child.kill('SIGKILL'), limit + GRACE)
    }
    /** @type {Promise<Result>} */
    const ended = new Promise((resolve) => {
      listen = (message) => {
        if ('limit' in message) setLimit(message.limit)
        if ('result' in message) resolve(message.result)
      }
    })
    setLimit(timeout)
    child.send({ file, timeout }, () => {})
    const result = await Promise.race([ended, closed])
    clearTimeout(timer)
    if (!('code' in result)) return result
    report.fail(file, performance.now() - startedAt, result)
    return { ok: false, passed: 0, failed: 1, skipped: 0 }
  }

  /**
   * Ends the process. An error after the result of its last file, such as an unhandled rejection, is a failure too.
   * @param {boolean} isFailed whether the last file failed; then the exit code of its process is not zero either
   * @returns whether the process exited without a new error
   */
  async function end(isFailed) {
    if (child.connected) child.disconnect()
    const timer = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT)
    const { code } = await closed
    clearTimeout(timer)
    report.end()
    if (isFailed || !code) return true
    process.stdout.write(`FAILED  the end of the process of ${last}, with exit code ${code}\n`)
    return false
  }
}

/**
 * Ends all processes, then this process with the signal.
 * @param {NodeJS.Signals} signal
 */
function stop(signal) {
  isStopping = true
  queue.length = 0
  const end = () => {
    for (const child of children) child.kill('SIGKILL')
    process.kill(process.pid, signal)
  }
  for (const child of children) {
    child.once('exit', () => children.size === 0 && end())
    if (child.connected) child.disconnect()
  }
  setTimeout(end, END_TIMEOUT)
}
