import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
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
 * The thread that owns the spool's file. It answers one message after the other; what it cannot do it says, and tries
 * anew with the next message, for disks get room again.
 */

/** Milliseconds between two looks for files that a process left behind: a rolling restart takes about as long. */
const ADOPTION_INTERVAL = 20_000

/** Milliseconds between two looks at the file: damage that no write meets shows here. */
const LOOK_INTERVAL = 30_000

/** Milliseconds in which a file that could not be opened is not tried again. */
const REOPEN_DELAY = 500

const port = parentPort!
const settings = workerData as WorkerSettings
const { file, maxFileBytes, lookInterval = LOOK_INTERVAL } = settings

let spool: (SpoolFile & { opened: SpoolStore; inodes: Inodes }) | undefined
/** A damaged or removed spool that nothing was copied from yet. */
let former: Former | undefined
let failed: { at: number; error: unknown } | undefined

interface Former {
  /** Where the damaged file was put, or the handle of the removed one. */
  source: string | DatabaseSync
  known: LaneCount[]
}

const post = (message: FromWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

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
const looking = setInterval(look, lookInterval)
setImmediate(adopt)

function handle(message: Exclude<ToWorker, { kind: 'close' }>): void {
  const store = open()
  if (message.kind === 'ask') {
    const value = answer(store, message.question)
    return post({ kind: 'answer', number: message.number, value }, buffersOf(value))
  }
  const operations = unpack(message)
  const applied = applyBatch(spool!, operations)
  freeBodies(operations)
  post({ kind: 'batch', ...applied, state: store.state() })
}

function open(): SpoolStore {
  if (spool !== undefined) return spool.opened
  if (failed !== undefined && performance.now() - failed.at < REOPEN_DELAY) throw failed.error
  try {
    const opened = openSpoolFile(file, (db) => {
      const store = new SpoolStore(db, settings)
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
  if (corrupt !== undefined) copyFormer({ source: corrupt, known: [] }, store)
  if (former !== undefined) copyFormer(former, store)
  former = undefined
  removeOldSpools(file)
  return spool.opened
}

/** Damage that no message has met: pages that are in memory, and rows that are missing, raise no error. */
function look(): void {
  if (leaveRemoved()) return reopen()
  if (spool === undefined) return
  const damage = findDamage(spool.db, spool.path)
  if (damage === undefined) return
  replaceCorrupt(damage)
  reopen()
}

/** @returns whether the file or its log was removed or replaced: the spool is to be opened again */
function leaveRemoved(): boolean {
  if (spool === undefined) return false
  const { db, path, inodes } = spool
  const { main, log } = inodesOf(path)
  if (main !== inodes.main) {
    former = { source: db, known: [] }
    spool = undefined
    return true
  }
  if (log === inodes.log) return false
  // The handle still has the log, and copies it into the file as it is closed.
  closeSpool()
  return true
}

function reopen(): void {
  try {
    post({ kind: 'state', state: open().state() })
  } catch {
    // Whoever needs it next is told why it cannot be opened.
  }
}

/** What was read from it before is not lost with it: it is kept, and a new one is opened by the next message. */
function replaceCorrupt(reason: string): void {
  const { db, path, opened } = spool!
  spool = undefined
  try {
    db.close()
    const known = [...opened.lanes.values()].map(({ dsn, lane, count }) => ({ dsn, lane, count }))
    former = { source: putCorruptAside(path), known }
  } catch (error) {
    failed = { at: performance.now(), error: new Error(reason, { cause: error }) }
  }
}

/** Takes over what can be read of the file that was there before this one. */
function copyFormer({ source, known }: Former, store: SpoolStore): void {
  const { discarded, ...salvaged } = salvageSpool(source, store, known)
  if (typeof source !== 'string') source.close()
  post({ kind: 'state', state: store.state(), discarded })
  tellFormer(source, salvaged)
}

function tellFormer(source: Former['source'], salvaged: Salvaged): void {
  const isDamaged = typeof source === 'string'
  post({
    kind: 'log',
    level: 'warn',
    details: { file: spool!.path, ...(isDamaged && { aside: source }), ...salvaged },
    message: isDamaged
      ? 'the spool of envelopes was damaged: it is kept aside, and what can be read of it is in a new one'
      : 'the spool of envelopes was removed or replaced while it was open: what waited in it is in the present one'
  })
}

function closeSpool(): void {
  spool?.db.close()
  spool = undefined
}

let adopting: ReturnType<typeof adoptOrphans> | undefined

/** A step, and the next when whoever waited has had a turn. */
function adopt(): void {
  try {
    const store = open()
    adopting ??= adoptOrphans(store, file, spool!.path)
    const step = adopting.next()
    if (!step.done) {
      setImmediate(adopt)
      return post({ kind: 'state', state: store.state() })
    }
    adopting = undefined
    post({ kind: 'state', state: store.state() })
    for (const details of step.value)
      post({ kind: 'log', level: 'info', details, message: 'took over the spool of a process that is gone' })
  } catch {
    // It stays where it is, for the next look. Why the spool itself cannot be used is told to whoever needs it.
    adopting?.return([])
    adopting = undefined
  }
}

function close(): void {
  clearInterval(adoption)
  clearInterval(looking)
  adopting?.return([])
  if (leaveRemoved()) reopen()
  closeSpool()
  port.close()
}

/** Bodies are handed over, not copied. */
function buffersOf(value: unknown): ArrayBuffer[] {
  if (value instanceof Uint8Array) return [value.buffer as ArrayBuffer]
  const { envelopes = [] } = (value ?? {}) as { envelopes?: Array<{ bytes?: Uint8Array<ArrayBuffer> }> }
  return envelopes.flatMap(({ bytes }) => bytes?.buffer ?? [])
}
