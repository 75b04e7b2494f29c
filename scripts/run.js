import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findBrowser, getBrowser } from './browser.js'
import { APPLICATION, build, INBOX, isBuilt } from './build.js'
import { exitAs, runChild, runStep, Stopped } from './child.js'
import { install, isInstalled } from './install.js'
import { withLock } from './lock.js'
import { getNode, OLDEST_NODE, readNodeFlags, toNodeEnv } from './node.js'
import { printTotals } from './report.js'
import { say, UserError } from './say.js'
import { hashOf, isCurrent, writeStamp } from './stamp.js'
import { findQuickTestFiles, findTestFiles, orderTestFiles, readTestArgs } from './test-files.js'

/*
 * Runs `npm start`, `npm test` and the other commands. It works with any Node from version 20, and installs or builds
 * whatever a command needs and is missing: packages, a recent Node, the build, a browser.
 */

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const LOCK = join(root, '.hull/lock')
const SOAK = 'scripts/test/soak'
const TAP = 'node_modules/tap/dist/esm/run.mjs'

/** Seconds per test file, unless the file sets another limit. */
const FILE_TIMEOUT = 300

const TAP_STAMP = 'node_modules/.hull/tap.json'

/** Flags of the server's process, which the Dockerfile repeats. docs/decisions/070-memory.md gives the reasons. */
const NODE_FLAGS = readNodeFlags(root)

/** Makes Node load the bundles of the packages. The Dockerfile and new applications have the same flag. */
const BUNDLED = '--import=@hull/shell/start'

/** The development command, which in this repository also watches the sources of the packages. */
const DEV_COMMAND = ['packages/shell/src/commands/dev.ts', '--watch=packages']

/** Options of `export` that leave out the parts of the application that need the server. */
const LIVE_PARTS = ['--set=LAB=off', '--exclude=/lab', '--set=INBOX=off', '--exclude=/inbox']

/** Node's exit code when it refuses a flag. */
const INVALID_FLAG = 9

/**
 * Options that change what a command does. Without `--` before them, npm takes them as its own options, and the command
 * would do something else.
 * @type {Record<string, string[]>}
 */
const OPTIONS = {
  create: ['no-inbox', 'lab'],
  bench: ['peers', 'measure', 'quick', 'from', 'write', 'check'],
  routes: ['json'],
  'inbox:move': ['back'],
  'inbox:export': ['project', 'since', 'until', 'types', 'skip-attachments', 'resume'],
  'inbox:replay': ['dsn', 'types', 'give-up', 'resume']
}

/** @type {Record<string, (args: string[]) => Promise<Pick<import('./child.js').Ending, 'code' | 'signal'>>>} */
const commands = {
  async start(args) {
    const node = await prepare({ built: true })
    const hook = pathToFileURL(join(root, 'scripts/exit-with-parent.js')).href
    return runNode(node, [...NODE_FLAGS, BUNDLED, '--import', hook, 'server.ts', ...args], { apart: true })
  },

  async dev(args) {
    const node = await prepare({ built: false })
    return runNode(node, [...DEV_COMMAND, ...args], { apart: true })
  },

  async build() {
    await withLock(LOCK, async () => {
      if (!isInstalled(root)) await install(root)
      await build(root, getNode(root))
    })
    return { code: 0, signal: null }
  },

  async test(args) {
    const { jobs, paths } = readTestArgs(args)
    const files = findTestFiles(root, paths)
    const node = await prepare({ built: true })
    const browser = await prepareBrowser(node, files)
    if (paths.length === 0 && !(await passesChecks(node))) return { code: 1, signal: null }
    return runTests({ node, files, browser, jobs, retry: paths.length === 0 })
  },

  async 'test:quick'(args) {
    const { jobs, paths } = readTestArgs(args)
    const files = findQuickTestFiles(root, paths)
    const node = await prepare({ built: false })
    if (paths.length === 0 && !(await passesChecks(node))) return { code: 1, signal: null }
    return runTests({ node, files, jobs })
  },

  async format(args) {
    const node = await prepare({ built: false })
    return runChild(node, ['node_modules/oxfmt/bin/oxfmt', ...args], { cwd: root, env: toNodeEnv(node) })
  },

  async soak(args) {
    const { paths } = readTestArgs(args)
    const files = findTestFiles(root, paths.length > 0 ? paths : [SOAK])
    const node = await prepare({ built: true })
    const browser = await prepareBrowser(node, files)
    return runTests({ node, files, browser, jobs: 1, timeout: 3_600 })
  },

  inbox: runInbox,

  async create(args) {
    const node = await prepare({ built: false })
    // npm runs this in the project's folder, and passes the caller's folder in INIT_CWD.
    const cwd = process.env['INIT_CWD'] ?? process.cwd()
    return runChild(node, [join(root, 'packages/create-hull/src/index.ts'), ...args], { cwd, env: toNodeEnv(node) })
  },

  async routes(args) {
    const node = await prepare({ built: false })
    return runNode(node, ['packages/shell/src/commands/routes.ts', ...args])
  },

  async export(args) {
    const node = await prepare({ built: true })
    return runNode(node, ['packages/shell/src/commands/export.ts', ...LIVE_PARTS, ...args])
  },

  async 'inbox:build'() {
    await prepare({ built: true, site: INBOX })
    return { code: 0, signal: null }
  },

  'inbox:backup': (args) => runInbox(['backup', ...args]),
  'inbox:restore': (args) => runInbox(['restore', ...args]),
  'inbox:move': (args) => runInbox(['move', ...args]),
  'inbox:export': (args) => runInbox(['export', ...args]),
  'inbox:replay': (args) => runInbox(['replay', ...args]),

  async bench(args) {
    const node = await prepare({ built: true })
    const env = { ...toNodeEnv(node), HULL_CHROMIUM: await getBrowser({ root, node }) }
    return runChild(node, ['bench/run.ts', ...args], { cwd: root, env, apart: true })
  }
}

const [name = '', ...args] = process.argv.slice(2)
try {
  const command = commands[name]
  if (!command) throw new UserError(`there is no command "${name}". There are: ${Object.keys(commands).join(', ')}.`)
  refuseOptionsOfNpm(name)
  if (/[#?]/.test(root)) throw new UserError(`Vite cannot build in ${root}: move it to a path without # or ?.`)
  const ending = await command(args)
  const flags = process.env['NODE_OPTIONS']
  if (ending.code === INVALID_FLAG && flags) say(`NODE_OPTIONS is "${flags}", which Node ${OLDEST_NODE} may not know.`)
  exitAs(ending)
} catch (error) {
  if (error instanceof Stopped) {
    exitAs({ code: null, signal: error.signal })
  } else {
    say(error instanceof Error ? error.message : String(error))
    if (['test', 'test:quick', 'soak'].includes(name)) printTotals({ passed: 0, failed: 1, skipped: 0 })
    process.exitCode = 1
  }
}

/**
 * Throws an error if npm took an option of the command as its own.
 * @param {string} name
 */
function refuseOptionsOfNpm(name) {
  const taken = OPTIONS[name]?.find(
    (option) => process.env[`npm_config_${option.replace('no-', '').replaceAll('-', '_')}`] !== undefined
  )
  if (taken)
    throw new UserError(
      `npm took --${taken} for an option of its own. Write -- before the options: npm run ${name} -- --${taken}`
    )
}

/**
 * Installs and builds what is missing, one process at a time.
 * @param {{ built: boolean, site?: import('./build.js').Site }} needs
 */
async function prepare({ built, site = APPLICATION }) {
  const isReady = () => isInstalled(root) && (!built || isBuilt(root, site))
  if (!isReady()) {
    await withLock(LOCK, async () => {
      if (!isInstalled(root)) await install(root)
      if (built && !isBuilt(root, site)) await build(root, getNode(root), site)
    })
  }
  return getNode(root)
}

/**
 * Environment in which Node caches compiled code, with types stripped. Later starts take half the time, and test files
 * a third.
 * @param {string} node
 */
function toCachingEnv(node) {
  const folder = process.env['NODE_COMPILE_CACHE'] ?? join(root, '.hull/compile-cache')
  return { ...toNodeEnv(node), NODE_COMPILE_CACHE: folder }
}

/**
 * Runs a program of the project.
 * @param {string} node
 * @param {string[]} args
 * @param {{ apart?: boolean }} [options]
 */
function runNode(node, args, options) {
  return runChild(node, args, { cwd: root, env: toCachingEnv(node), ...options })
}

/**
 * Runs the inbox on its own, or one of its commands, which need no pages.
 * @param {string[]} args
 */
async function runInbox(args) {
  const node = await prepare({ built: args.length === 0, site: INBOX })
  return runNode(node, [...NODE_FLAGS, 'packages/inbox/src/hull-inbox.ts', ...args], { apart: args.length === 0 })
}

/**
 * Installs a browser if a test needs one; otherwise finds one, if there is any.
 * @param {string} node
 * @param {string[]} files
 */
async function prepareBrowser(node, files) {
  const mayNeedIt = files.some((file) => file.includes('browser'))
  return mayNeedIt ? getBrowser({ root, node, shell: true }) : findBrowser({ root, shell: true })
}

/**
 * Checks types, lint rules, format and sentences in parallel. All checks run, so that one run shows all problems.
 * @param {string} node
 */
async function passesChecks(node) {
  const checks = [
    // More threads would take twice the processor time, which the other checks need.
    ['node_modules/typescript/bin/tsc', '--checkers', '1'],
    ['node_modules/oxlint/bin/oxlint'],
    ['node_modules/oxfmt/bin/oxfmt', '--check'],
    ['scripts/check-sentences.js']
  ]
  say('checking types, rules, format and sentences')
  // The type check reads the generated types, and a page may have been added since the last build.
  const types = await runStep(node, ['packages/shell/src/commands/types.ts'], { cwd: root, env: toCachingEnv(node) })
  const endings = await Promise.all(
    checks.map((args) => runStep(node, args, { cwd: root, env: toCachingEnv(node), capture: true }))
  )
  for (const { code, output } of endings) if (code !== 0) process.stderr.write(output)
  const failed = [types, ...endings].filter(({ code }) => code !== 0).length
  if (failed === 0) return true
  say(`${failed} of ${checks.length + 1} checks failed, so the tests were not run`)
  printTotals({ passed: 0, failed, skipped: 0 })
  return false
}

/**
 * Builds tap's test class from the plugins in .taprc, if .taprc or the packages have changed.
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
      throw new UserError('tap could not be prepared: its messages are above.')
    }
    writeStamp(root, TAP_STAMP, inputs, ['.tap/plugins'])
  })
}

/**
 * @typedef {object} TestRun
 * @property {string} node
 * @property {string[]} files at least one
 * @property {string | undefined} [browser]
 * @property {number} [jobs] files in parallel
 * @property {number} [timeout] seconds per file
 * @property {boolean} [retry] whether files that failed run again
 */

/**
 * Two more than the number of cores, because a test file waits a part of its time for a limit, a timer or another
 * process: with one more, two cores were busy for four fifths of a run.
 */
function defaultJobs() {
  return availableParallelism() + 2
}

/** @param {TestRun} options */
async function runTests({ node, files, browser, jobs = defaultJobs(), timeout = FILE_TIMEOUT, retry = false }) {
  await prepareTap(node)
  say('running the tests')
  const options = [`--jobs=${jobs}`, `--timeout=${timeout}`, ...(retry ? ['--retry'] : [])]
  const ending = await runChild(node, ['scripts/test-pool.js', ...options, ...orderTestFiles(files)], {
    cwd: root,
    env: { ...toCachingEnv(node), ...(browser && { HULL_CHROMIUM: browser }) }
  })
  if (ending.received) throw new Stopped(ending.received)
  return ending
}
