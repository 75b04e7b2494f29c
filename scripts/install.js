import { createHash } from 'node:crypto'
import { lstatSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { runStep } from './child.js'
import { isCurrent, removeStamp, writeStamp } from './stamp.js'
import { say, UserError } from './say.js'

const STAMP = 'node_modules/.hull/install.json'

/** npm's own record of what it installed. */
const NPM_RECORD = 'node_modules/.package-lock.json'

/** Settings that npm passes to its scripts, and with which `npm ci` would omit packages or install them elsewhere. */
const HARMFUL_SETTINGS = new Set(
  [
    ['omit', 'include', 'only', 'production', 'optional', 'dev', 'also', 'bin_links', 'dry_run'],
    ['global', 'location', 'prefix', 'local_prefix', 'workspace', 'workspaces', 'package_lock', 'package_lock_only']
  ]
    .flat()
    .map((name) => `npm_config_${name}`)
)

/**
 * Whether the packages of package-lock.json are installed, by this script or by npm.
 * @param {string} root
 */
export function isInstalled(root) {
  // The folder is linked from another checkout, which has its own install.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return true
  const inputs = toInputs(root)
  if (isCurrent(root, STAMP, inputs)) return true
  if (!isRecordComplete(root)) return false
  writeStamp(root, STAMP, inputs, [])
  return true
}

/**
 * Runs `npm ci`.
 * @param {string} root
 */
export async function install(root) {
  say('installing packages (the first time takes a minute)')
  removeStamp(root, STAMP)
  // These flags override .npmrc and NODE_ENV=production: with `omit=dev` npm would not install the build tools.
  const flags = [
    'ci',
    '--include=dev',
    '--include=optional',
    '--include=peer',
    '--no-audit',
    '--no-fund',
    '--loglevel=error'
  ]
  const { command, args, shell } = getNpm()
  const ending = await runStep(command, [...args, ...flags], { cwd: root, env: toNpmEnv(), capture: true, shell })
  if (ending.code !== 0) {
    process.stderr.write(ending.output)
    throw new UserError(
      'the packages could not be installed: npm says why above. Repair it, and run the command again.'
    )
  }
  writeStamp(root, STAMP, toInputs(root), [])
}

/**
 * Inputs that decide whether an install is current. They do not include the version of Node: no package is compiled for
 * one, and switching between versions would remove the packages of a running server.
 * @param {string} root
 */
function toInputs(root) {
  const lock = readFileSync(join(root, 'package-lock.json'))
  const record = lstatSync(join(root, NPM_RECORD), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const hash = createHash('sha256').update(lock).digest('hex')
  return [hash, process.platform, process.arch, record].join(' ')
}

/**
 * @typedef {object} Package
 * @property {string} version
 * @property {boolean} [optional]
 * @property {boolean} [devOptional]
 * @property {string[]} [os]
 * @property {string[]} [cpu]
 * @property {string[]} [libc]
 */

/**
 * Whether npm's record of node_modules has every package of the lock file in the same version, except optional ones for
 * other platforms.
 * @param {string} root
 */
function isRecordComplete(root) {
  try {
    const wanted = readPackages(join(root, 'package-lock.json'))
    const present = readPackages(join(root, NPM_RECORD))
    delete wanted['']
    const names = new Set([...Object.keys(wanted), ...Object.keys(present)])
    return [...names].every((name) => {
      const [want, have] = [wanted[name], present[name]]
      if (want && !have) return isDispensable(want)
      return want?.version === have?.version
    })
  } catch {
    return false
  }
}

/** @param {Package} want */
function isDispensable({ optional, devOptional, os, cpu, libc }) {
  if (!optional && !devOptional) return false
  const isForHere = os?.includes(process.platform) && (cpu?.includes(process.arch) ?? true)
  return !isForHere || libc?.includes('musl') === true
}

/**
 * @param {string} path
 * @returns {Record<string, Package>}
 */
function readPackages(path) {
  return JSON.parse(readFileSync(path, 'utf8')).packages
}

/** The npm that started this script, or the one on PATH: yarn and pnpm set npm_execpath to themselves. */
function getNpm() {
  const script = process.env['npm_execpath'] ?? ''
  if (basename(script) === 'npm-cli.js') return { command: process.execPath, args: [script], shell: false }
  return { command: 'npm', args: [], shell: process.platform === 'win32' }
}

/** @returns {NodeJS.ProcessEnv} */
function toNpmEnv() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !HARMFUL_SETTINGS.has(name.toLowerCase())))
}
