import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger, Plugin } from 'vite'
import { isBusy } from '@hull/common/sqlite-file.ts'

/** Milliseconds between two attempts to take the lock. A guess. */
const POLL_INTERVAL = 200

/** Locks of this process by project. The system releases them when the process ends, however it ends. */
const held = new Map<string, DatabaseSync>()

/**
 * Plugins that let one process at a time build a project: two would remove each other's files. The second waits.
 * @param root the project's folder
 */
export const buildLock = (root: string): Plugin[] => [
  {
    name: 'hull-lock',
    buildApp: {
      order: 'pre',
      async handler({ config }) {
        // Held since a build that failed.
        if (held.has(root)) return
        const lock = await lockProject(root, config.logger)
        if (lock) held.set(root, lock)
      }
    }
  },
  {
    name: 'hull-unlock',
    // After the plugins that write more files, such as bundlePackages().
    enforce: 'post',
    buildApp: {
      order: 'post',
      async handler() {
        held.get(root)?.close()
        held.delete(root)
      }
    }
  }
]

/** @returns undefined if the folder cannot have a lock, such as one that cannot be written */
async function lockProject(root: string, { warn }: Logger): Promise<DatabaseSync | undefined> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return openExclusively(join(root, '.hull'))
    } catch (error) {
      if (!isBusy(error)) return undefined
      if (isFirst) warn('hull: another process builds this project. This build begins when that one has ended.')
      await wait(POLL_INTERVAL)
    }
  }
}

/** SQLite has locks that work on every system. Nothing is stored in the file. */
function openExclusively(folder: string): DatabaseSync {
  mkdirSync(folder, { recursive: true })
  const db = new DatabaseSync(join(folder, 'build-lock'), { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
