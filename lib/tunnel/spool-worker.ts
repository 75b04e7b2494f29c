import { parentPort, workerData } from 'node:worker_threads'
import { isCorrupt } from '../sqlite-file.ts'
import { adoptOrphans } from './spool-adoption.ts'
import { putCorruptAside, removeOldSpools } from './spool-copies.ts'
import { findDamage } from './spool-damage.ts'
import { openSpoolFile, type SpoolFile } from './spool-file.ts'
import {
  bytesOf,
  toFreeing,
  type FromWorker,
  type SpoolOperation,
  type ToWorker,
  type WorkerSettings
} from './spool-messages.ts'
import { unpack } from './spool-packing.ts'
import { answer } from './spool-queries.ts'
import { makeRoom, shrinkLog } from './spool-room.ts'
import { salvageSpool, type Salvaged } from './spool-salvage.ts'
import { SpoolStore, type Applied } from './spool-store.ts'

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

let spool: (SpoolFile & { opened: SpoolStore }) | undefined
/** Where a damaged file was put that nothing was read from yet. */
let aside: string | undefined
let failed: { at: number; error: unknown } | undefined

const post = (message: FromWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

port.on('message', (message: ToWorker) => {
  if (message.kind === 'close') return close()
  try {
    handle(message)
  } catch (error) {
    const reason = (error as Error).message
    if (isCorrupt(error) && spool !== undefined) replaceCorrupt(reason)
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
  const applied = applyBatch(store, operations)
  freeBodies(operations)
  post({ kind: 'batch', ...applied, state: store.state() })
}

/** Bodies are gone with their batch, not when the collector comes round to them: under load that is a hundred MiB later. */
function freeBodies(operations: SpoolOperation[]): void {
  for (const operation of operations) {
    if (!('bytes' in operation) || operation.bytes === undefined) continue
    const { buffer } = operation.bytes
    if (!buffer.detached) buffer.transfer(0)
  }
}

/** On a full disk what takes room is refused, and what makes room is done. */
function applyBatch(store: SpoolStore, operations: SpoolOperation[]): Applied & { failed?: string } {
  try {
    makeRoom(spool!.db, spool!.path, bytesOf(operations))
    return store.apply(operations)
  } catch (error) {
    if (isCorrupt(error)) throw error
    const applied = applyInLittleRoom(store, operations.flatMap(toFreeing))
    const refused = operations.flatMap((operation) => (operation.op === 'put' ? operation.ticket : []))
    return { ...applied, refused, failed: (error as Error).message }
  }
}

function applyInLittleRoom(store: SpoolStore, operations: SpoolOperation[]): Applied {
  try {
    return store.apply(operations)
  } catch (error) {
    if (isCorrupt(error)) throw error
    // Deletions grow the log, too.
    shrinkLog(spool!.db)
    return store.apply(operations)
  }
}

function open(): SpoolStore {
  if (spool !== undefined) return spool.opened
  if (failed !== undefined && performance.now() - failed.at < REOPEN_DELAY) throw failed.error
  try {
    spool = openSpoolFile(file, (db) => {
      const store = new SpoolStore(db, settings)
      const { page_size: pageSize } = db.prepare('PRAGMA page_size').get() as { page_size: number }
      db.exec(`PRAGMA max_page_count = ${Math.ceil(maxFileBytes / pageSize)}`)
      return store
    })
  } catch (error) {
    failed = { at: performance.now(), error }
    throw error
  }
  const corrupt = spool.corrupt ?? aside
  aside = undefined
  if (corrupt !== undefined) tellCorrupt(spool.path, corrupt, salvageSpool(corrupt, spool.opened))
  removeOldSpools(file)
  return spool.opened
}

/** Damage that no message has met: pages that are in memory, and rows that are missing, raise no error. */
function look(): void {
  if (spool === undefined) return
  const damage = findDamage(spool.db, spool.path)
  if (damage === undefined) return
  replaceCorrupt(damage)
  reopen()
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
  const { db, path } = spool!
  spool = undefined
  try {
    db.close()
    aside = putCorruptAside(path)
  } catch (error) {
    failed = { at: performance.now(), error: new Error(reason, { cause: error }) }
  }
}

function tellCorrupt(path: string, aside: string, salvaged: Salvaged): void {
  post({
    kind: 'log',
    level: 'warn',
    details: { file: path, aside, ...salvaged },
    message: 'the spool of envelopes was damaged: it is kept aside, and what can be read of it is in a new one'
  })
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
  spool?.db.close()
  port.close()
}

/** Bodies are handed over, not copied. */
function buffersOf(value: unknown): ArrayBuffer[] {
  if (value instanceof Uint8Array) return [value.buffer as ArrayBuffer]
  const { envelopes = [] } = (value ?? {}) as { envelopes?: Array<{ bytes?: Uint8Array<ArrayBuffer> }> }
  return envelopes.flatMap(({ bytes }) => bytes?.buffer ?? [])
}
