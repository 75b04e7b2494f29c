import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { runChild, Stopped } from './child.js'
import { parseTotals, reportFile } from './report.js'
import { sortLongestFirst } from './test-files.js'

/** Seconds of each file's last run, by path. */
const TIMES = '.hull/test-times.json'

/** Seconds for a file; a file with a browser asks for more itself. */
const FILE_TIMEOUT = 300

/** Milliseconds after which a file's process is killed: above every limit that a file sets for itself. */
const KILL_AFTER = 720_000

/**
 * Two files per core: about half the time of a browser test is waiting. No more than 8: each may have a browser.
 */
const JOBS = Math.min(2 * availableParallelism(), 8)

/**
 * @typedef {object} TestRunOptions
 * @property {string} root
 * @property {string} node the executable that runs a file
 * @property {NodeJS.ProcessEnv} env
 * @property {string[]} files
 * @property {number} [jobs] files at once. Default: two per core, at most 8
 * @property {number} [timeout] seconds for a file that sets none. Default: 300
 * @property {number} [killAfter] milliseconds until the process of a file is killed. Default: 12 minutes
 * @property {(line: string) => void} print
 */

/**
 * Runs each file in a Node process of its own and prints a line for it. Not by tap's own runner, whose hooks make every
 * import slower: docs/decisions/060-test-runner.md.
 * @param {TestRunOptions} options
 * @returns {Promise<import('./report.js').Totals>}
 * @throws {Stopped} by a signal
 */
export async function runTestFiles(options) {
  const { root, files, jobs = JOBS, print } = options
  const times = readTimes(root)
  const totals = { passed: 0, failed: 0, skipped: 0 }
  const waiting = sortLongestFirst(files, times)
  /** @type {NodeJS.Signals | null} */
  let asked = null

  async function work() {
    for (let file = waiting.shift(); file !== undefined && !asked; file = waiting.shift()) {
      const result = await runFile(file, options)
      asked ??= result.asked
      if (asked) return
      reportFile(result, print)
      times[file] = result.seconds
      totals.passed += result.totals.passed
      totals.failed += result.totals.failed
      totals.skipped += result.totals.skipped
    }
  }
  await Promise.all(Array.from({ length: Math.min(jobs, files.length) }, work))
  if (asked) throw new Stopped(asked)
  writeTimes(root, times)
  return totals
}

/**
 * @param {string} file
 * @param {TestRunOptions} options
 */
async function runFile(file, { root, node, env, timeout = FILE_TIMEOUT, killAfter = KILL_AFTER }) {
  const start = performance.now()
  /** @type {Buffer[]} */
  const chunks = []
  const { code, signal, asked } = await runChild(node, ['--enable-source-maps', file], {
    cwd: root,
    env: { ...env, TAP: '1', TAP_TIMEOUT: String(timeout) },
    onStdout: (chunk) => chunks.push(chunk),
    timeout: killAfter
  })
  const lines = Buffer.concat(chunks).toString().split('\n')
  if (signal) lines.push(`the process was ended by ${signal}`)
  const totals = lines.map(parseTotals).findLast((found) => found !== undefined)
  const isEmpty = lines.some((line) => line.startsWith('1..0'))
  const ok = code === 0 && (totals !== undefined || isEmpty) && !totals?.failed
  return {
    file,
    ok,
    lines,
    asked,
    seconds: (performance.now() - start) / 1_000,
    totals: {
      passed: totals?.passed ?? 0,
      // A process that fails without a count counts as one failure.
      failed: ok ? 0 : Math.max(totals?.failed ?? 0, 1),
      skipped: totals?.skipped ?? 0
    }
  }
}

/**
 * @param {string} root
 * @returns {Record<string, number>}
 */
function readTimes(root) {
  try {
    return JSON.parse(readFileSync(join(root, TIMES), 'utf8'))
  } catch {
    return {} // there is none, or its writing was cut short
  }
}

/**
 * @param {string} root
 * @param {Record<string, number>} times
 */
function writeTimes(root, times) {
  mkdirSync(dirname(join(root, TIMES)), { recursive: true })
  writeFileSync(join(root, TIMES), JSON.stringify(times))
}
