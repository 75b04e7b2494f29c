import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { attempt } from '@hull/common/attempt.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { openTunnel, type Provider, type TunnelOptions } from './tunnel.ts'

/** Milliseconds between checks whether the spool is empty. */
const CHECK_INTERVAL = 500

export interface OldSpool {
  /** Stops deliveries; the rest is delivered after the next start. */
  close: () => Promise<void>
}

export interface OldSpoolOptions extends Omit<TunnelOptions, 'providers'> {
  /** Delivers to the inbox. */
  provider: Provider
}

/**
 * Delivers the envelopes of an unused spool to the inbox, then removes the spool's files. Envelopes for other providers
 * stay until their provider is configured again, or until they expire.
 * @returns undefined if there is no spool
 */
export function openOldSpool({ provider, ...options }: OldSpoolOptions): OldSpool | undefined {
  const { file, log } = options
  if (findFiles(file).length === 0) return undefined
  const tunnel = openTunnel({ ...options, providers: [provider] })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= tunnel.close())
  const checking = setInterval(
    safeCallback(() => void check()),
    CHECK_INTERVAL
  ).unref()

  async function check(): Promise<void> {
    if (!(await tunnel.flush(CHECK_INTERVAL)) || closing) return
    clearInterval(checking)
    await close()
    const { delivered } = tunnel.stats()
    for (const path of findFiles(file).filter(isEmpty))
      for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
    if (delivered > 0)
      log.info({ file, envelopes: delivered }, 'the envelopes of the spool were delivered to the inbox')
  }

  return {
    close() {
      clearInterval(checking)
      return close()
    }
  }
}

/** Finds `spool.db`, `spool.2.db`, …; without damaged files that were set aside. */
function findFiles(file: string): string[] {
  const extension = extname(file)
  const name = new RegExp(`^${RegExp.escape(basename(file, extension))}(?:\\.\\d+)?${RegExp.escape(extension)}$`)
  const found = attempt(() => readdirSync(dirname(file))) ?? []
  return found.filter((path) => name.test(path)).map((path) => join(dirname(file), path))
}

/** Whether no process has the file open, and it has neither envelopes nor drops. */
function isEmpty(path: string): boolean {
  try {
    const db = new DatabaseSync(path, { timeout: 0 })
    try {
      db.exec('PRAGMA locking_mode = EXCLUSIVE')
      const { rows } = db
        .prepare('SELECT (SELECT count(*) FROM envelopes) + (SELECT count(*) FROM drops) AS rows')
        .get() as {
        rows: number
      }
      return rows === 0
    } finally {
      db.close()
    }
  } catch {
    return false
  }
}
