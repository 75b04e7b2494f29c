import { inodesOf, isCorrupt } from '@hull/common/sqlite-file.ts'
import {
  findUnsalvaged,
  finishSalvage,
  isDamaged,
  openInboxFile,
  putCorruptAside,
  seemsDamaged,
  toSalvaged
} from './file.ts'
import { RecoveryCopy, toRecoveryFile } from './recovery.ts'
import { salvage } from './salvage.ts'
import { SqliteStore } from './sqlite-store.ts'
import type { Report, StoreKeeper } from '../store-keeper.ts'
import { writeSetting } from '../stored-settings.ts'

export interface SqliteKeeperOptions {
  file: string
  /** Maximum size of the file in bytes. */
  maxBytes: number
  report: Report
}

/** Keeps the inbox's file: replaces it if it is damaged, and copies what can be read. */
export class SqliteKeeper implements StoreKeeper {
  readonly place: { file: string }
  readonly #options: SqliteKeeperOptions
  #recovery: RecoveryCopy | undefined
  #inode = 0
  /** Whether the file is to be checked before it is opened again. */
  #isSuspect = false
  #recoveryFailed = ''

  constructor(options: SqliteKeeperOptions) {
    this.#options = options
    this.place = { file: options.file }
  }

  open(): SqliteStore {
    const { file, maxBytes } = this.#options
    if (this.#isSuspect && isDamaged(file)) putCorruptAside(file)
    this.#isSuspect = false
    const store = new SqliteStore(openInboxFile(file, maxBytes))
    try {
      for (const damaged of findUnsalvaged(file)) this.#rescue(store, damaged)
    } catch (error) {
      store.close()
      throw error
    }
    this.#recovery = new RecoveryCopy(store, toRecoveryFile(file))
    this.#inode = inodesOf(file).main
    this.keepCopy()
    return store
  }

  /** Finds damage that no write hits, which would otherwise show only at the next start. */
  check(): boolean {
    const { file, report } = this.#options
    if (inodesOf(file).main !== this.#inode) {
      // Writes to the old file would be lost when this process ends.
      report('error', this.place, 'the inbox was removed or replaced while it was open')
      return true
    }
    if (seemsDamaged(file)) this.#isSuspect = true
    else this.keepCopy()
    return this.#isSuspect
  }

  checkError(error: unknown): boolean {
    if (isCorrupt(error)) this.#isSuspect = true
    return this.#isSuspect
  }

  keepCopy(): void {
    try {
      this.#recovery?.update()
      this.#recoveryFailed = ''
    } catch (error) {
      const { message: reason } = error as Error
      if (reason !== this.#recoveryFailed)
        this.#options.report('warn', { reason }, 'the recovery copy of the inbox cannot be written')
      this.#recoveryFailed = reason
    }
  }

  /** Another process may do the same at the same time: each row is inserted once. */
  #rescue(store: SqliteStore, damaged: string): void {
    const { file } = this.place
    const aside = toSalvaged(damaged)
    // First, because the copied rows may leave no room for it.
    writeSetting(store, 'corrupt', { at: Date.now(), aside })
    const salvaged = salvage(damaged, toRecoveryFile(file), store.db)
    finishSalvage(file, damaged)
    this.#options.report(
      'error',
      { ...this.place, aside, salvaged },
      'the inbox was damaged: the damaged file was renamed, and its readable rows were copied to a new inbox'
    )
  }
}
