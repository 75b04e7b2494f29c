import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { runStep } from './child.js'
import { hashOf, isCurrent, removeStamp, writeStamp } from './stamp.js'
import { say, Trouble } from './say.js'
import { toNodeEnv } from './node.js'

/** In dist, so that deleting dist by hand builds again. */
const STAMP = 'dist/stamp.json'

/** What the build reads beside the packages' sources, which pages import. */
const INPUTS = ['client', 'scripts/build.js', 'vite.config.ts', 'tsconfig.json', 'package.json', 'package-lock.json']

/** @param {string} root */
export function isBuilt(root) {
  return isCurrent(root, STAMP, hashInputs(root))
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

/** @param {string} root */
function hashInputs(root) {
  return hashOf(root, [...INPUTS, ...listPackageSources(root)])
}

/**
 * Builds the browser's and the server's half with Vite.
 * @param {string} root
 * @param {string} node
 */
export async function build(root, node) {
  say('building the pages')
  const inputs = hashInputs(root) // before, so that an edit made while it builds is not missed
  removeStamp(root, STAMP)
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const args = [vite, 'build', '--app', '--logLevel', 'warn']
  const ending = await runStep(node, args, { cwd: root, env: toNodeEnv(node) })
  if (ending.code !== 0) throw new Trouble('the build failed: Vite says why above.')
  const outputs = readdirSync(join(root, 'dist')).map((name) => `dist/${name}`)
  writeStamp(root, STAMP, inputs, [...outputs, '.hull/types'])
}
