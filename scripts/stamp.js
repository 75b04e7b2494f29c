import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/*
 * A stamp is a file that records the inputs and outputs of a build step. While the inputs are unchanged and the outputs
 * exist, the step need not run again.
 */

/**
 * A hash of the names and contents of files and folders. Ignores times, since a checkout or a container image changes
 * them. Excludes names that begin with a dot except `.well-known`, folders named dist, and missing paths.
 * @param {string} root
 * @param {string[]} paths
 * @param {(file: string) => boolean} [isInput] false for a file to leave out
 */
export function hashOf(root, paths, isInput = () => true) {
  const hash = createHash('sha256')
  for (const path of paths) {
    for (const file of listFiles(root, path).filter(isInput))
      hash
        .update(`${file}\0`)
        .update(readFileSync(join(root, file)))
        .update('\0')
  }
  return hash.digest('hex')
}

/**
 * @param {string} root
 * @param {string} path of the stamp
 * @param {string} inputs
 */
export function isCurrent(root, path, inputs) {
  try {
    const stamp = JSON.parse(readFileSync(join(root, path), 'utf8'))
    return (
      stamp.inputs === inputs && stamp.outputs.every((/** @type {string} */ output) => existsSync(join(root, output)))
    )
  } catch {
    return false // there is none, or it was not written completely
  }
}

/**
 * @param {string} root
 * @param {string} path of the stamp
 * @param {string} inputs
 * @param {string[]} outputs paths that have to exist for the stamp to hold; missing ones are not recorded
 */
export function writeStamp(root, path, inputs, outputs) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  const present = outputs.filter((output) => existsSync(join(root, output)))
  writeFileSync(join(root, path), JSON.stringify({ inputs, outputs: present }))
}

/**
 * @param {string} root
 * @param {string} path of the stamp
 */
export function removeStamp(root, path) {
  rmSync(join(root, path), { force: true })
}

/**
 * @param {string} root
 * @param {string} path with forward slashes
 * @returns {string[]}
 */
function listFiles(root, path) {
  const stat = statSync(join(root, path), { throwIfNoEntry: false })
  if (!stat?.isDirectory()) return stat ? [path] : []
  return readdirSync(join(root, path))
    .filter((name) => (name === '.well-known' || !name.startsWith('.')) && name !== 'dist')
    .sort()
    .flatMap((name) => listFiles(root, `${path}/${name}`))
}
