import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { attempt } from '@hull/common/attempt.ts'
import { inodesOf, isCorrupt, isReadOnly, type Inodes } from '@hull/common/sqlite-file.ts'
import { adoptOrphans } from './spool-adoption.ts'
import { applyBatch, freeBodies } from './spool-batch.ts'
import { putCorruptAside, removeOldSpools } from './corrupt-files.ts'
import { findDamage } from './spool-damage.ts'
import { openSpoolFile, type SpoolFile } from './spool-file.ts'
import { type FromWorker, type ToWorker, type WorkerSettings } from './spool-messages.ts'
import { unpack } from './batch-codec.ts'
import { answer } from './spool-queries.ts'
import { salvageSpool, type LaneCount, type Salvaged } from './spool-salvage.ts'
import { SpoolStore } from './spool-store.ts'

/*
 * Thread that owns the spool's file. Answers messages in order. After a failed message, the next one is tried as usual,
 * because a full disk may have space again.
 */

/** Milliseconds between searches for files of ended processes. A rolling restart takes about as long. */
const ADOPTION_INTERVAL = 20_000

/** Milliseconds between checks of the file, which find damage that no write meets. */
const CHECK_INTERVAL = 30_000

/** Milliseconds after a failed attempt to open the file in which it is not tried again. */
const REOPEN_DELAY = 500

const port = parentPort!
const settings = workerData as WorkerSettings
const { file, maxFileBytes, checkInterval = CHECK_INTERVAL } = settings

let spool: (SpoolFile & { opened: SpoolStore; inodes: Inodes }) | undefined
/** Damaged or removed spool whose envelopes were not copied yet. */
let previous: PreviousFile | undefined
let failed: { at: number; error: unknown } | undefined
/**
 * Copies of the envelopes of a damaged or removed spool get ids below it: envelopes that are being delivered keep the ids
 * that they had, and their results must not apply to others.
 */
let idsBelow = settings.firstId

interface PreviousFile {
  /** New path of the damaged file, or the handle of the removed one. */
  source: string | DatabaseSync
  known: LaneCount[]
}

const post = (message: FromWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

const postLog = (level: 'info' | 'warn', details: object, message: string) =>
  post({ kind: 'log', level, details, message })

port.on('message', (message: ToWorker) => {
  if (message.kind === 'close') return close()
  try {
    handle(message)
  } catch (error) {
    const reason = (error as Error).message
    if (isCorrupt(error) && spool !== undefined) replaceCorrupt(reason)
    else if (isReadOnly(error)) closeSpool()
    post({ kind: 'failed', reason, ...(message.kind === 'ask' && { number: message.number }) })
  }
})

const adoption = setInterval(adopt, ADOPTION_INTERVAL)
const checking = setInterval(check, checkInterval)
setImmediate(adopt)

function handle(message: Exclude<ToWorker, { kind: 'close' }>): void {
  const store = open()
  if (message.kind === 'ask') {
    const value = answer(store, message.question)
    return post({ kind: 'answer', number: message.number, value }, buffersOf(value))
  }
  const operations = unpack(message)
  const { damaged, ...applied } = applyBatch(spool!, operations)
  freeBodies(operations)
  if (damaged > 0) logDamaged(damaged)
  post({ kind: 'batch', ...applied, state: store.state() })
}

function open(): SpoolStore {
  if (spool !== undefined) return spool.opened
  if (failed !== undefined && performance.now() - failed.at < REOPEN_DELAY) throw failed.error
  try {
    const opened = openSpoolFile(file, (db) => {
      const store = new SpoolStore(db, settings, idsBelow)
      const { page_size: pageSize } = db.prepare('PRAGMA page_size').get() as { page_size: number }
      db.exec(`PRAGMA max_page_count = ${Math.ceil(maxFileBytes / pageSize)}`)
      return store
    })
    spool = { ...opened, inodes: inodesOf(opened.path) }
  } catch (error) {
    failed = { at: performance.now(), error }
    throw error
  }
  const { corrupt, opened: store } = spool
  if (store.damaged > 0) logDamaged(store.damaged)
  if (corrupt !== undefined) copyPrevious({ source: corrupt, known: [] }, store)
  if (previous !== undefined) copyPrevious(previous, store)
  previous = undefined
  removeOldSpools(file)
  return spool.opened
}

/** Finds damage that raises no error in messages: damaged pages that SQLite has in memory, and missing rows. */
function check(): void {
  if (detachIfRemoved()) return reopen()
  if (spool === undefined) return
  const damage = findDamage(spool.db, spool.path)
  if (damage === undefined) return
  replaceCorrupt(damage)
  reopen()
}

/** @returns whether the file or its log was removed or replaced, so that the spool must be opened again */
function detachIfRemoved(): boolean {
  if (spool === undefined) return false
  const { db, path, inodes, opened } = spool
  const { main, log } = inodesOf(path)
  if (main !== inodes.main) {
    previous = { source: db, known: [] }
    idsBelow = opened.lowest
    spool = undefined
    return true
  }
  if (log === inodes.log) return false
  // The handle still has the log, and copies it into the file when it closes.
  closeSpool()
  return true
}

function reopen(): void {
  // If the file cannot be opened, the next message reports why.
  attempt(() => post({ kind: 'state', state: open().state() }))
}

/** Renames the damaged file. The next message opens a new file and copies the readable envelopes into it. */
function replaceCorrupt(reason: string): void {
  const { db, path, opened } = spool!
  spool = undefined
  idsBelow = opened.lowest
  try {
    db.close()
    const known = [...opened.lanes.values()].map(({ dsn, lane, count }) => ({ dsn, lane, count }))
    previous = { source: putCorruptAside(path), known }
  } catch (error) {
    failed = { at: performance.now(), error: new Error(reason, { cause: error }) }
  }
}

/** Copies the readable envelopes of the previous file. */
function copyPrevious({ source, known }: PreviousFile, store: SpoolStore): void {
  const { discarded, ...salvaged } = salvageSpool(source, store, known)
  if (typeof source !== 'string') source.close()
  post({ kind: 'state', state: store.state(), discarded })
  logPrevious(source, salvaged)
}

function logPrevious(source: PreviousFile['source'], salvaged: Salvaged): void {
  const isDamaged = typeof source === 'string'
  postLog(
    'warn',
    { file: spool!.path, ...(isDamaged && { aside: source }), ...salvaged },
    isDamaged
      ? 'the spool of envelopes was damaged: it was renamed, and its readable envelopes were copied to the current one'
      : 'the spool of envelopes was removed or replaced while it was open: its envelopes were copied to the current one'
  )
}

function logDamaged(envelopes: number): void {
  const message = 'the metadata of envelopes in the spool was damaged: these envelopes were dropped'
  postLog('warn', { file: spool!.path, envelopes }, message)
}

function closeSpool(): void {
  spool?.db.close()
  spool = undefined
}

let adopting: ReturnType<typeof adoptOrphans> | undefined

/** Runs one step, and the next one after waiting messages. */
function adopt(): void {
  try {
    const store = open()
    adopting ??= adoptOrphans(store, file, spool!.path, salvageSibling)
    const step = adopting.next()
    if (!step.done) {
      setImmediate(adopt)
      return post({ kind: 'state', state: store.state(), discarded: step.value })
    }
    adopting = undefined
    post({ kind: 'state', state: store.state() })
    for (const details of step.value)
      postLog(details.lost > 0 ? 'warn' : 'info', details, 'took over the spool of an ended process')
  } catch {
    // The other file stays for the next search. If the spool itself cannot be opened, the next message reports why.
    adopting?.return([])
    adopting = undefined
  }
}

function salvageSibling(path: string): void {
  copyPrevious({ source: putCorruptAside(path), known: [] }, open())
  removeOldSpools(file)
}

function close(): void {
  clearInterval(adoption)
  clearInterval(checking)
  adopting?.return([])
  if (detachIfRemoved()) reopen()
  closeSpool()
  port.close()
}

/** Buffers to transfer instead of copy. */
function buffersOf(value: unknown): ArrayBuffer[] {
  if (value instanceof Uint8Array) return [value.buffer as ArrayBuffer]
  const { envelopes = [] } = (value ?? {}) as { envelopes?: Array<{ bytes?: Uint8Array<ArrayBuffer> }> }
  return envelopes.flatMap(({ bytes }) => bytes?.buffer ?? [])
}
