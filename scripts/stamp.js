import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/*
 * A stamp is a file that says from which inputs something was made and what was made. While the inputs are the
 * same and the outputs are there, it need not be made again.
 */

/**
 * One hash over the names and contents of files and folders. Contents, not times: a checkout or a container
 * image changes every time. Left out are names that begin with a dot, folders named dist, and paths
 * that do not exist.
 * @param {string} root
 * @param {string[]} paths
 */
export function hashOf(root, paths) {
  const hash = createHash('sha256')
  for (const path of paths) {
    for (const file of listFiles(root, path))
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
    return false // there is none, or its writing was cut short
  }
}

/**
 * @param {string} root
 * @param {string} path of the stamp
 * @param {string} inputs
 * @param {string[]} outputs what has to stay for the stamp to hold; only those that exist now are noted
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
    .filter((name) => !name.startsWith('.') && name !== 'dist')
    .sort()
    .flatMap((name) => listFiles(root, `${path}/${name}`))
}
