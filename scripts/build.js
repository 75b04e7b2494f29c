import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { parseEnv } from 'node:util'
import { runStep } from './child.js'
import { hashOf, isCurrent, removeStamp, writeStamp } from './stamp.js'
import { say, UserError } from './say.js'
import { toNodeEnv } from './node.js'

/** Inputs of every build, besides the sources of the packages. */
const INPUTS = ['scripts/build.js', 'tsconfig.json', 'package.json', 'package-lock.json']

/** Files of variables that only Vite reads. `.env` also has the settings of the server. */
const VITE_FILES = ['.env.local', '.env.production', '.env.production.local']

/** Entries of the root that no page imports. */
const NO_SOURCES = ['bench', 'data', 'deploy', 'dist', 'docs', 'node_modules', 'out', 'packages', 'scripts', 'test']

/**
 * @typedef {object} Site pages that are built together
 * @property {string} folder with vite.config.ts, from the root
 * @property {string} dist folder that the build writes, from the root
 * @property {string} stamp in `dist`, so that deleting dist by hand builds again
 * @property {(root: string) => string[]} listInputs of this build alone
 * @property {string[]} outputs of the build outside of `dist`
 */

/** @type {Site} */
export const APPLICATION = {
  folder: '.',
  dist: 'dist',
  stamp: 'dist/stamp.json',
  listInputs: listApplicationSources,
  outputs: ['.hull/types']
}

/** The inbox as an application of its own. @type {Site} */
export const INBOX = {
  folder: 'packages/inbox',
  dist: 'packages/inbox/dist/pages',
  stamp: 'packages/inbox/dist/stamp.json',
  listInputs: () => ['packages/inbox/client', 'packages/inbox/vite.config.ts'],
  outputs: []
}

/**
 * @param {string} root
 * @param {Site} [site]
 */
export function isBuilt(root, site = APPLICATION) {
  return isCurrent(root, site.stamp, hashInputs(root, site))
}

/**
 * Lists folders and files that pages may import, also those that a team adds. Pages also import server code, which the
 * build adds to the server's bundle. A folder with a package.json is another application.
 * @param {string} root
 * @returns {string[]} names in the root
 */
function listApplicationSources(root) {
  const [dataFolder] = relative(root, resolve(root, readEnvironment(root)['DATA_DIR'] ?? 'data')).split(sep)
  const others = [...NO_SOURCES, dataFolder]
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || (entry.name.endsWith('.ts') && entry.name !== 'server.ts'))
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('.') && !others.includes(name) && !existsSync(join(root, name, 'package.json')))
    .sort()
}

/**
 * Sources of the packages, in `packages/`; no page imports the test helpers.
 * @param {string} root
 * @returns {string[]} paths from the root
 */
export function listPackageSources(root) {
  const packages = join(root, 'packages')
  const names = existsSync(packages) ? readdirSync(packages).sort() : []
  return names.filter((name) => name !== 'test-helpers').map((name) => `packages/${name}/src`)
}

/**
 * Files that the commands of the inbox and a server write, such as a backup in a folder of the project. They may be too
 * large to be read at once. Files in `client/` are not excluded, because browsers may load them.
 */
const DATA = /^(?!client\/).*\.(db|db-shm|db-wal|log|ndjson|ndjson\.gz)$/

/**
 * @param {string} root
 * @param {Site} site
 */
function hashInputs(root, { listInputs }) {
  const paths = [...listInputs(root), ...INPUTS, ...VITE_FILES, ...listPackageSources(root)]
  return hashOf(root, paths, (file) => !DATA.test(file)) + readSettings(root)
}

/**
 * Settings that the build reads, and settings that Vite writes into code. Only the server reads the others, when it
 * starts.
 */
const SETTINGS = /^(?:BASE_PATH|ASSETS_URL|VITE_.*)$/

/**
 * The environment, completed from `.env`.
 * @param {string} root
 * @returns {Record<string, string | undefined>}
 */
function readEnvironment(root) {
  const file = join(root, '.env')
  return { ...(existsSync(file) && parseEnv(readFileSync(file, 'utf8'))), ...process.env }
}

/**
 * Returns the settings of a build.
 * @param {string} root
 */
function readSettings(root) {
  const env = readEnvironment(root)
  return Object.keys(env)
    .filter((name) => SETTINGS.test(name) && env[name]?.trim())
    .sort()
    .map((name) => ` ${name}=${env[name]}`)
    .join('')
}

/**
 * Builds the bundles of the browser and of the server with Vite.
 * @param {string} root
 * @param {string} node
 * @param {Site} [site]
 */
export async function build(root, node, site = APPLICATION) {
  say('building the pages')
  const inputs = hashInputs(root, site) // Hashed before the build, so that edits during the build are detected.
  removeStamp(root, site.stamp)
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const args = [vite, 'build', '--app', '--logLevel', 'warn']
  const ending = await runStep(node, args, { cwd: join(root, site.folder), env: toNodeEnv(node) })
  if (ending.code !== 0) throw new UserError('the build failed: Vite says why above.')
  const outputs = readdirSync(join(root, site.dist)).map((name) => `${site.dist}/${name}`)
  writeStamp(root, site.stamp, inputs, [...outputs, ...site.outputs])
}
