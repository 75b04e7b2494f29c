import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/*
 * A stamp is a file that records the inputs and outputs of a build step. While the inputs are unchanged and the outputs
 * exist, the step need not run again.
 */

/** Maximum bytes of a file whose contents are hashed; larger files are hardly sources. A guess. */
const MAX_HASHED = 16 * 1024 ** 2

/**
 * Hashes the names and contents of files and folders. For files above 16 MiB it uses size and time instead of the
 * contents; times of other files are ignored, since a checkout or a container image changes them. Excludes names that
 * begin with a dot except `.well-known`, folders named dist, missing paths, and files that a build cannot read either:
 * sockets, pipes, and files and folders of another user.
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
        .update(contentsOf(join(root, file)))
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
    return false // The stamp is missing or was not written completely.
  }
}

/**
 * @param {string} root
 * @param {string} path of the stamp
 * @param {string} inputs
 * @param {string[]} outputs paths that must exist for the stamp to be valid; paths that do not exist yet are not
 * recorded
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

/** @param {string} file */
function contentsOf(file) {
  const contents = ifReadable(() => {
    const { size, mtimeMs } = statSync(file)
    return size > MAX_HASHED ? `${size} ${mtimeMs}` : readFileSync(file)
  })
  return contents ?? ''
}

/**
 * @param {string} root
 * @param {string} path with forward slashes
 * @returns {string[]}
 */
function listFiles(root, path) {
  const stat = ifReadable(() => statSync(join(root, path)))
  if (!stat?.isDirectory()) return stat?.isFile() ? [path] : []
  const names = ifReadable(() => readdirSync(join(root, path))) ?? []
  return names
    .filter((name) => (name === '.well-known' || !name.startsWith('.')) && name !== 'dist')
    .sort()
    .flatMap((name) => listFiles(root, `${path}/${name}`))
}

/** Error codes of files that do not exist, files of another user, and circular links. */
const UNREADABLE = ['ENOENT', 'EACCES', 'EPERM', 'ELOOP']

/**
 * @template T
 * @param {() => T} read
 * @returns {T | undefined}
 */
function ifReadable(read) {
  try {
    return read()
  } catch (error) {
    if (UNREADABLE.includes(Object(error).code)) return undefined
    throw error
  }
}
