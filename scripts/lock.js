import { constants, copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { say } from './say.js'

/** Milliseconds between two attempts to take a lock. */
const POLL = 200

/** Milliseconds after which a lock is ignored: no install takes this long, and process ids are reused. */
const OLDEST_LOCK = 15 * 60_000

/** Milliseconds during which another process may still be writing an empty lock file. */
const YOUNG_LOCK = 1_000

/**
 * Runs `work` while no other process on this machine holds the same lock file. Takes over the lock of a process that
 * has exited.
 * @template T
 * @param {string} path
 * @param {() => Promise<T>} work
 * @param {(text: string) => void} [print] receives a message about the process that holds the lock, once
 * @returns {Promise<T>}
 */
export async function withLock(path, work, print = say) {
  mkdirSync(dirname(path), { recursive: true })
  let isPrinted = false
  while (!take(path)) {
    const holder = read(path)
    if (holder === undefined) continue
    if (isStale(path, holder)) {
      remove(path, holder)
      continue
    }
    if (!isPrinted) print(`waiting for process ${holder}, which is installing or building`)
    isPrinted = true
    await sleep(POLL)
  }
  try {
    return await work()
  } finally {
    remove(path, String(process.pid))
  }
}

/** @param {string} path */
function take(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  }
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/**
 * @param {string} path
 * @param {string} holder
 */
function isStale(path, holder) {
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  if (holder === '') return age > YOUNG_LOCK
  if (age > OLDEST_LOCK) return true
  try {
    process.kill(Number(holder), 0)
    return false
  } catch (error) {
    return !isCode(error, 'EPERM') // EPERM: the process exists, and belongs to another user
  }
}

/**
 * Removes the lock if `holder` still holds it. Renames it first, so that only one of two processes that found the same
 * dead holder succeeds. A process that moved a live lock puts it back.
 * @param {string} path
 * @param {string} holder
 */
function remove(path, holder) {
  const aside = `${path}.${process.pid}.old`
  try {
    renameSync(path, aside)
    if (read(aside) !== holder) copyFileSync(aside, path, constants.COPYFILE_EXCL)
  } catch (error) {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

/**
 * @param {unknown} error
 * @param {string} code
 */
function isCode(error, code) {
  return error instanceof Error && 'code' in error && error.code === code
}
