import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { UserError } from './say.js'

/** Folders that have no tests, copies of tests, or the tests of a new application. */
const SKIPPED = new Set(['node_modules', 'dist', 'data', 'template'])

/** Folder of tests that take minutes; they run only with `npm run soak` or by their path. */
const SOAK = 'scripts/test/soak/'

/** Test files that take most of a minute or more, the longest first. */
export const LONG_FILES = [
  'packages/create-hull/test/create.test.ts',
  'packages/inbox/test/web/browser/accessibility.test.ts',
  'packages/inbox/test/store/move.test.ts',
  'scripts/test/deploy/replicas.test.ts',
  'packages/inbox/test/transfer/replay.test.ts',
  'scripts/test/docs/owning.test.ts',
  'packages/inbox/test/postgres/replicas.test.ts',
  'packages/shell/test/browser/dev.test.ts',
  'packages/inbox/test/postgres/suite.test.ts',
  'packages/inbox/test/transfer/export.test.ts',
  'scripts/test/docs/browser/styles.test.ts',
  'packages/shell/test/browser/dev-changes.test.ts',
  'packages/shell/test/browser/moves/accessibility.test.ts',
  'scripts/test/commands.test.ts',
  'packages/shell/test/browser/dev-errors.test.ts',
  'packages/inbox/test/web/browser/floats.test.ts',
  'packages/shell/test/browser/dev-libraries.test.ts'
]

/** Helpers that a quick test does not import: an application, a browser, a process, a service, a store, a build. */
const SLOW_HELPERS =
  /\/(app|browser|child-server|collector|commands|database|dev-server|doc-examples|inbox[\w-]*|monitor\w+|provider|services|site|store|tunnel[\w-]*|type-check|unruly-server|watched-child|writer)\.ts$/

/** Packages and files with which a test can start one of these without a helper. */
const SLOW_IMPORTS =
  /^(fastify|playwright|vite|(node:)?(child_process|http|net|sqlite|worker_threads))$|(^|\/)(scripts\/(child|install)\.js|server\.ts|store\/open\.ts)$/

/** An import path from a test to the project's build. */
const BUILD = /'(\.\.\/)+dist['/]/

/**
 * @param {string[]} args paths, and `--jobs=<files at once>`
 * @throws {UserError} for another option
 */
export function readTestArgs(args) {
  const options = args.filter((arg) => arg.startsWith('-'))
  const unknown = options.find((option) => !/^--jobs=[1-9]\d*$/.test(option))
  if (unknown)
    throw new UserError(`there is no option ${unknown}. There is --jobs=<test files at once>, a whole number.`)
  const jobs = options.at(-1)?.slice('--jobs='.length)
  return { paths: args.filter((arg) => !options.includes(arg)), ...(jobs && { jobs: Number(jobs) }) }
}

/**
 * Test files in the given files and folders, without duplicates. Default: all except the soak tests.
 * @param {string} root
 * @param {string[]} [paths] relative to the root, or absolute
 * @returns {string[]} paths relative to the root, with forward slashes
 * @throws {UserError} for a path that does not exist or has no test file
 */
export function findTestFiles(root, paths = []) {
  const selected = paths.length > 0 ? paths : listFolders(root)
  const files = selected.flatMap((path) => {
    const name = relative(root, resolve(root, path)).split(sep).join('/')
    const found = listTestFiles(root, name).filter((file) => !file.startsWith(SOAK) || isInside(name, SOAK))
    if (found.length === 0 && paths.length > 0) {
      throw new UserError(
        existsSync(join(root, name))
          ? `${path} has no test file. Test files end in .test.ts.`
          : `${path} does not exist. Name test files or folders, from the project's folder.`
      )
    }
    return found
  })
  return [...new Set(files)]
}

/**
 * Orders test files so that long files come first, and none of them runs alone at the end.
 * @param {string[]} files paths from the root
 */
export function orderTestFiles(files) {
  const long = LONG_FILES.filter((file) => files.includes(file))
  return [...long, ...files.filter((file) => !long.includes(file))]
}

/**
 * The quick test files among those that `findTestFiles` returns.
 * @param {string} root
 * @param {string[]} [paths] relative to the root, or absolute
 * @throws {UserError} for a path that does not exist, and if no file is quick
 */
export function findQuickTestFiles(root, paths = []) {
  const files = findTestFiles(root, paths).filter((file) => isQuick(root, file))
  if (files.length > 0) return files
  const selected = paths.join(' ')
  throw new UserError(`no quick test in ${selected || 'the project'}. Run: npm test${selected && ` -- ${selected}`}`)
}

/**
 * Whether a test is quick: neither it nor its helpers need an application, a browser, a process, a service, a store or
 * a build.
 * @param {string} root
 * @param {string} file
 */
export function isQuick(root, file) {
  const seen = new Set()
  const pending = [file]
  for (const path of pending) {
    if (seen.has(path)) continue
    seen.add(path)
    const source = readFileSync(join(root, path), 'utf8')
    if (BUILD.test(source)) return false
    for (const specifier of importsOf(source)) {
      const target = resolveImport(path, specifier)
      if (SLOW_IMPORTS.test(target)) return false
      if (!isTestCode(target)) continue
      if (SLOW_HELPERS.test(target)) return false
      if (existsSync(join(root, target))) pending.push(target)
    }
  }
  return true
}

/**
 * Returns relative imports and test helpers as paths from the root, and other specifiers unchanged.
 * @param {string} path of the importing file
 * @param {string} specifier
 */
function resolveImport(path, specifier) {
  if (specifier.startsWith('@hull/test-helpers/'))
    return specifier.replace('@hull/test-helpers/', 'packages/test-helpers/src/')
  return specifier.startsWith('.') ? join(dirname(path), specifier).split(sep).join('/') : specifier
}

/** @param {string} path */
const isTestCode = (path) => path.startsWith('packages/test-helpers/src/') || /(^|\/)test\//.test(path)

/** @param {string} source */
function importsOf(source) {
  return [...source.matchAll(/^(?:import|export|\} from)\s?[^'"]*['"]([^'"]+)['"]/gm)]
    .filter(([statement]) => !/^(import|export) type/.test(statement))
    .map(([, specifier = '']) => specifier)
}

/**
 * Folders that contain test files.
 * @param {string} root
 */
function listFolders(root) {
  const packages = join(root, 'packages')
  const names = existsSync(packages) ? readdirSync(packages).sort() : []
  return ['test', ...names.map((name) => `packages/${name}/test`), 'scripts/test']
}

/**
 * @param {string} root
 * @param {string} path
 * @returns {string[]}
 */
function listTestFiles(root, path) {
  const stat = statSync(join(root, path), { throwIfNoEntry: false })
  if (stat?.isFile()) return path.endsWith('.test.ts') ? [path] : []
  if (!stat?.isDirectory()) return []
  return readdirSync(join(root, path))
    .filter((name) => !name.startsWith('.') && !SKIPPED.has(name))
    .sort()
    .flatMap((name) => listTestFiles(root, path === '' ? name : `${path}/${name}`))
}

/**
 * @param {string} path
 * @param {string} folder with a slash at its end
 */
const isInside = (path, folder) => `${path}/`.startsWith(folder)
