import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findBrowser, getBrowser } from './browser.js'
import { build, isBuilt } from './build.js'
import { exitAs, runChild, runStep, Stopped } from './child.js'
import { toDevArgs } from './dev.js'
import { install, isInstalled } from './install.js'
import { withLock } from './lock.js'
import { getNode, OLDEST_NODE, toNodeEnv } from './node.js'
import { createReport } from './report.js'
import { hashOf, isCurrent, writeStamp } from './stamp.js'
import { say, Trouble } from './say.js'

/*
 * What `npm start`, `npm test` and the other commands do first, on any Node from 20 on and with nothing
 * installed: packages, a Node that is new enough, the build, a browser. Each only when it is needed.
 */

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const LOCK = join(root, '.hull/lock')
const TAP = 'node_modules/tap/dist/esm/run.mjs'
const TAP_STAMP = 'node_modules/.hull/tap.json'

/** As in the Dockerfile. Why: docs/decisions/011-young-generation.md */
const NODE_FLAGS = ['--min-semi-space-size=16']

/** Node's exit code when it refuses a flag. */
const INVALID_FLAG = 9

/** @type {Record<string, (args: string[]) => Promise<Pick<import('./child.js').Ending, 'code' | 'signal'>>>} */
const commands = {
  async start(args) {
    const node = await prepare({ built: true })
    const hook = pathToFileURL(join(root, 'scripts/exit-with-parent.js')).href
    return runChild(node, [...NODE_FLAGS, '--import', hook, 'server.ts', ...args], {
      cwd: root,
      env: toCachingEnv(node),
      apart: true
    })
  },

  async dev(args) {
    const node = await prepare({ built: false })
    return runChild(node, [...toDevArgs(root), ...args], { cwd: root, env: toCachingEnv(node), apart: true })
  },

  async build() {
    await withLock(LOCK, async () => {
      if (!isInstalled(root)) await install(root)
      await build(root, getNode(root))
    })
    return { code: 0, signal: null }
  },

  async test(args) {
    const node = await prepare({ built: true })
    await prepareTap(node)
    const browser = await prepareBrowser(node, args)
    const failed = args.length === 0 ? await runChecks(node) : 0
    if (failed > 0) {
      printTotals({ passed: 0, failed })
      return { code: 1, signal: null }
    }
    return runTap(node, args, browser)
  },

  async soak(args) {
    const node = await prepare({ built: true })
    await prepareTap(node)
    const browser = await prepareBrowser(node, [])
    return runTap(
      node,
      ['--include=scripts/test/soak/**/*.test.ts', '--exclude=', '--timeout=3600', '--jobs=1', ...args],
      browser
    )
  },

  async 'inbox:backup'(args) {
    return runInboxTool('backup', args)
  },

  async 'inbox:restore'(args) {
    return runInboxTool('restore', args)
  },

  async bench(args) {
    const node = await prepare({ built: true })
    const env = { ...toNodeEnv(node), HULL_CHROMIUM: await getBrowser({ root, node }) }
    return runChild(node, ['bench/run.ts', ...args], { cwd: root, env, apart: true })
  }
}

const [name = '', ...args] = process.argv.slice(2)
try {
  const command = commands[name]
  if (!command) throw new Trouble(`there is no command "${name}". There are: ${Object.keys(commands).join(', ')}.`)
  const ending = await command(args)
  const flags = process.env['NODE_OPTIONS']
  if (ending.code === INVALID_FLAG && flags) say(`NODE_OPTIONS is "${flags}", which Node ${OLDEST_NODE} may not know.`)
  exitAs(ending)
} catch (error) {
  if (error instanceof Stopped) {
    exitAs({ code: null, signal: error.signal })
  } else {
    say(error instanceof Error ? error.message : String(error))
    if (name === 'test' || name === 'soak') printTotals({ passed: 0, failed: 1 })
    process.exitCode = 1
  }
}

/**
 * Installs and builds what is missing, one process at a time.
 * @param {{ built: boolean }} needs
 */
async function prepare({ built }) {
  const isReady = () => isInstalled(root) && (!built || isBuilt(root))
  if (!isReady()) {
    await withLock(LOCK, async () => {
      if (!isInstalled(root)) await install(root)
      if (built && !isBuilt(root)) await build(root, getNode(root))
    })
  }
  return getNode(root)
}

/**
 * Node keeps what it compiled, types stripped: later starts take half the time, and test files a third.
 * @param {string} node
 */
function toCachingEnv(node) {
  const folder = process.env['NODE_COMPILE_CACHE'] ?? join(root, '.hull/compile-cache')
  return { ...toNodeEnv(node), NODE_COMPILE_CACHE: folder }
}

/**
 * @param {string} tool
 * @param {string[]} args
 */
async function runInboxTool(tool, args) {
  const node = await prepare({ built: false })
  return runChild(node, ['scripts/inbox.ts', tool, ...args], { cwd: root })
}

/**
 * tap generates its test class from the plugins that .taprc names.
 * @param {string} node
 */
async function prepareTap(node) {
  const inputs = hashOf(root, ['.taprc', 'package-lock.json'])
  const isReady = () => isCurrent(root, TAP_STAMP, inputs)
  if (isReady()) return
  await withLock(LOCK, async () => {
    if (isReady()) return
    say('preparing tap')
    const ending = await runStep(node, [TAP, 'build'], { cwd: root, env: toNodeEnv(node), capture: true })
    if (ending.code !== 0) {
      process.stderr.write(ending.output)
      throw new Trouble('tap could not be prepared: it says why above.')
    }
    writeStamp(root, TAP_STAMP, inputs, ['.tap/plugins'])
  })
}

/**
 * The browser for all tests, or for the named ones if it is here: they may not need it.
 * @param {string} node
 * @param {string[]} args
 */
async function prepareBrowser(node, args) {
  const mayNeedIt = args.length === 0 || args.some((arg) => arg.includes('browser'))
  return mayNeedIt ? getBrowser({ root, node, shell: true }) : findBrowser({ root, shell: true })
}

/**
 * Types, rules, format and sentences. Runs all of them, so that one run shows everything.
 * @param {string} node
 */
async function runChecks(node) {
  const checks = [
    { what: 'types', args: ['node_modules/typescript/bin/tsc'] },
    { what: 'rules', args: ['node_modules/oxlint/bin/oxlint'] },
    { what: 'format', args: ['node_modules/oxfmt/bin/oxfmt', '--check'] },
    { what: 'sentences', args: ['scripts/check-sentences.js'] }
  ]
  let failed = 0
  for (const { what, args } of checks) {
    say(`checking ${what}`)
    const ending = await runStep(node, args, { cwd: root, env: toNodeEnv(node), capture: true })
    if (ending.code === 0) continue
    failed++
    process.stderr.write(ending.output)
  }
  if (failed > 0) say(`${failed} of ${checks.length} checks failed, so the tests were not run`)
  return failed
}

/**
 * @param {string} node
 * @param {string[]} args
 * @param {string | undefined} browser
 */
async function runTap(node, args, browser) {
  say('running the tests')
  const report = createReport((line) => process.stdout.write(`${line}\n`))
  const env = { ...toCachingEnv(node), ...(browser && { HULL_CHROMIUM: browser }) }
  const ending = await runChild(node, [TAP, 'run', '--reporter=tap', ...args], {
    cwd: root,
    env,
    onStdout: report.write
  })
  const totals = report.end()
  if (ending.asked) throw new Stopped(ending.asked)
  // tap fails without counting when no file matches
  printTotals(totals ?? { passed: 0, failed: 1 })
  return { code: totals ? ending.code : 1, signal: ending.signal }
}

/**
 * The last line of the output, for people and for whatever reads the log.
 * @param {{ passed: number, failed: number, skipped?: number }} totals
 */
function printTotals({ passed, failed, skipped = 0 }) {
  if (skipped > 0) process.stdout.write(`${skipped} skipped\n`)
  process.stdout.write(`${passed} passed, ${failed} failed\n`)
}
