import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { runStep } from './child.js'
import { toNodeEnv } from './node.js'
import { say, UserError } from './say.js'

/**
 * Milliseconds for a browser to print its version. If it takes longer, it has opened a window or waits for something.
 */
const VERSION_TIMEOUT = 60_000

/** Milliseconds for Playwright's download, about 110 MB. */
const DOWNLOAD_TIMEOUT = 240_000

/** Milliseconds to install Debian's packages, about 170 MB with their dependencies. */
const APT_TIMEOUT = 600_000

const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Name of Debian's package and of its command. */
const SHELL_COMMAND = 'chromium-headless-shell'

const PLACES = [
  '/usr/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium'
]

/** Names of the headless shell's executable in Playwright's cache. */
const SHELL_NAMES = new Set([
  'chrome-headless-shell',
  'chrome-headless-shell.exe',
  'headless_shell',
  'headless_shell.exe'
])

/**
 * @typedef {object} Search
 * @property {string} root
 * @property {NodeJS.ProcessEnv} [env]
 * @property {string[]} [places] executables to look for outside of PATH
 * @property {boolean} [shell] prefer the headless shell, a Chromium without a user interface. Tests need two thirds of
 * the processor time with it, but it has no back/forward cache
 * @property {boolean} [isAdmin] whether system packages may be installed
 * @property {(text: string) => void} [print] receives each progress message. Default: prints it on stderr
 */

/**
 * Finds the browser for the tests: HULL_CHROMIUM, an installed one, or the one that Playwright has downloaded.
 * Ignores browsers that do not start: on Ubuntu `chromium-browser` may only print a note about snap.
 * @param {Search} search
 * @returns {Promise<string | undefined>} path of the executable
 */
export async function findBrowser({ root, env = process.env, places = PLACES, shell = false }) {
  if (env['HULL_CHROMIUM']) {
    if (await starts(env['HULL_CHROMIUM'], root)) return env['HULL_CHROMIUM']
    throw new UserError(`HULL_CHROMIUM is ${env['HULL_CHROMIUM']}, which does not start. Correct it, or unset it.`)
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter(Boolean)
  const commands = shell ? [SHELL_COMMAND, ...COMMANDS] : [...COMMANDS, SHELL_COMMAND]
  const onPath = commands.flatMap((name) => folders.map((folder) => join(folder, name)))
  for (const path of [...onPath, ...places, ...listDownloads(root, env)]) {
    if (existsSync(path) && (await starts(path, root))) return path
  }
  return undefined
}

/**
 * Finds the browser for the tests, or installs one: with Playwright, or else, as root on Debian, with apt.
 * @param {Search & { node: string }} search
 * @returns {Promise<string>} path of the executable
 */
export async function getBrowser({ node, ...search }) {
  const { root, env = process.env, isAdmin = process.getuid?.() === 0, print = say } = search
  const found = await findBrowser(search)
  if (found) return found

  print('downloading a browser for the tests (about 110 MB, once)')
  const cli = join(root, 'node_modules/playwright/cli.js')
  const args = [cli, 'install', '--no-progress', '--only-shell', 'chromium']
  const options = { cwd: root, capture: true }
  await runStep(node, args, { ...options, env: toNodeEnv(node, env), timeout: DOWNLOAD_TIMEOUT })
  // Search again, because a complete download does not start without its system libraries.
  const downloaded = await findBrowser(search)
  if (downloaded) return downloaded

  if (isAdmin && hasCommand('apt-get', env)) {
    print("Playwright's browser is not available here; installing Debian's chromium")
    const aptEnv = { ...env, DEBIAN_FRONTEND: 'noninteractive' }
    const apt = { ...options, env: aptEnv, timeout: APT_TIMEOUT }
    await runStep('apt-get', ['update'], apt)
    // Older versions of Debian and Ubuntu do not have Debian's package of the headless shell.
    for (const packages of search.shell ? [[SHELL_COMMAND, 'chromium'], ['chromium']] : [['chromium']]) {
      await runStep('apt-get', ['install', '-y', '--no-install-recommends', ...packages], apt)
      const installed = await findBrowser(search)
      if (installed) return installed
    }
  }

  throw new UserError(
    `the tests need Chromium and none could be installed. ${toAdvice(env)} Or set HULL_CHROMIUM to the path of a Chromium or Chrome.`
  )
}

/** @param {NodeJS.ProcessEnv} env */
function toAdvice(env) {
  const command = hasCommand('apt-get', env)
    ? 'sudo apt-get install chromium'
    : 'npx playwright install --with-deps chromium-headless-shell'
  return `Type \`${command}\` and run the command again.`
}

/**
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
function hasCommand(name, env) {
  return (env['PATH'] ?? '').split(delimiter).some((folder) => folder && existsSync(join(folder, name)))
}

/**
 * @param {string} path
 * @param {string} root
 */
async function starts(path, root) {
  const ending = await runStep(path, ['--version'], { cwd: root, capture: true, timeout: VERSION_TIMEOUT }).catch(
    (error) => {
      if (error instanceof UserError) return undefined
      throw error
    }
  )
  return ending?.code === 0 && /Chrom/.test(ending.output)
}

/**
 * Executables of the headless shell in Playwright's cache, for the revision that the installed Playwright launches.
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 */
function listDownloads(root, env) {
  const cache = env['PLAYWRIGHT_BROWSERS_PATH'] || join(getCacheFolder(env), 'ms-playwright')
  const folder = join(cache, `chromium_headless_shell-${readRevision(root)}`)
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => SHELL_NAMES.has(path.split(/[\\/]/).at(-1) ?? ''))
    .map((path) => join(folder, path))
}

/** @param {NodeJS.ProcessEnv} env */
function getCacheFolder(env) {
  if (process.platform === 'darwin') return join(homedir(), 'Library/Caches')
  if (process.platform === 'win32') return env['LOCALAPPDATA'] ?? join(homedir(), 'AppData/Local')
  return env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
}

/**
 * @param {string} root
 * @returns {string | undefined}
 */
function readRevision(root) {
  const path = join(root, 'node_modules/playwright-core/browsers.json')
  if (!existsSync(path)) return undefined
  /** @type {{ browsers: { name: string, revision: string }[] }} */
  const { browsers } = JSON.parse(readFileSync(path, 'utf8'))
  return browsers.find(({ name }) => name === 'chromium-headless-shell')?.revision
}
