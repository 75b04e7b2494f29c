import { existsSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { UserError } from './say.js'

/** The oldest Node that can run Hull, which needs type stripping without a flag, `node:sqlite` and argon2. */
export const OLDEST_NODE = '24.21.0'

/**
 * @typedef {object} Host
 * @property {string} version of the Node that is running
 * @property {string} execPath
 * @property {string} platform
 * @property {string} arch
 */

/**
 * The Node to run Hull with: the current one if it is new enough, else the one that npm installed from the optional
 * `node-<platform>-<arch>` package.
 * @param {string} root
 * @param {Host} [host]
 * @returns {string} path of the executable
 */
export function getNode(root, host = { ...pick(process), version: process.versions.node }) {
  if (isAtLeast(host.version, OLDEST_NODE)) return host.execPath
  const windows = host.platform === 'win32'
  const name = `node-${windows ? 'win' : host.platform}-${host.arch}`
  const packaged = join(root, 'node_modules', name, 'bin', windows ? 'node.exe' : 'node')
  if (existsSync(packaged)) return packaged
  throw new UserError(
    `Hull needs Node ${OLDEST_NODE} or newer and this is ${host.version}. Install it from https://nodejs.org and run the command again.`
  )
}

/**
 * Environment in which tools with `#!/usr/bin/env node` also use this Node.
 * @param {string} node
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {NodeJS.ProcessEnv}
 */
export function toNodeEnv(node, env = process.env) {
  // The variable is `Path` on Windows, and the copy of an environment is case-sensitive.
  const key = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH'
  return { ...env, [key]: [dirname(node), env[key]].filter(Boolean).join(delimiter) }
}

/**
 * Flags of Node with which the server runs: `config.nodeFlags` of package.json.
 * @param {string} root
 * @returns {string[]}
 */
export function readNodeFlags(root) {
  const { config } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return config.nodeFlags.split(' ')
}

/**
 * @param {string} version
 * @param {string} oldest
 */
function isAtLeast(version, oldest) {
  const [a, b] = [version, oldest].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)))
  for (const i of [0, 1, 2]) {
    const difference = (a?.[i] ?? 0) - (b?.[i] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}

/** @param {NodeJS.Process} process */
function pick({ execPath, platform, arch }) {
  return { execPath, platform, arch }
}
