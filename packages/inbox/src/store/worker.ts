import type { Envelope } from '@hull/monitoring'
import { readSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { InboxUnavailable } from '../errors.ts'
import { inodesOf, isCorrupt } from '@hull/common/sqlite-file.ts'
import { InboxWriter } from './writer.ts'
import { isDamaged, openInboxFile, putCorruptAside, seemsDamaged } from './file.ts'
import type { FromWorker, InboxSettings, IngestOutcome, IngestRequest, WorkerRequest, ToWorker } from './messages.ts'
import { toPlainError } from '../plain-error.ts'
import { RecoveryCopy, toRecoveryFile } from './recovery.ts'
import { NewerStore } from './newer-store.ts'
import { salvage } from './salvage.ts'
import { writeSetting } from './stored-settings.ts'
import { SqliteStore } from './sqlite-store.ts'
import type { Store } from './store.ts'

/* The thread that owns the writing connection. It answers messages one at a time and reports errors. */

/** Milliseconds until the worker retries to open the file. The disk may have room again, or be mounted again. */
const REOPEN_DELAY = 2_000

/** Milliseconds between turns of maintenance if none is pending. */
const TIDY_INTERVAL = 1_000

/** Milliseconds between checks of the file for damage and of the recovery copy. */
const CHECK_INTERVAL = 30_000

/**
 * While envelopes arrive, maintenance pauses for this multiple of its last turn, so that envelopes have priority. A
 * guess.
 */
const PAUSE_FACTOR = 2

/** Milliseconds after an envelope for which the worker counts as busy. */
const BUSY_PERIOD = 1_000

/**
 * Milliseconds that a turn may start late. A later turn, delayed by long batches, runs longer, so that maintenance
 * catches up. A guess.
 */
const MAX_DELAY = 20

/** Maximum milliseconds of a turn that catches up. A guess. */
const MAX_TURN = 50

const port = parentPort!
const { file, checkInterval = CHECK_INTERVAL, ...settings } = workerData as InboxSettings

let open: { store: Store; writer: InboxWriter; recovery: RecoveryCopy; inode: number } | undefined
let reopening: NodeJS.Timeout | undefined
/** The last reported reason why the file could not be opened. */
let reportedReason = ''
let reportedProjects = ''
let tidyFailed = ''
let recoveryFailed = ''
let tidying: NodeJS.Immediate | undefined
let resting: NodeJS.Timeout | undefined
/** When the last batch arrived, and when the next turn of maintenance is due. */
let lastBatchAt = -Infinity
let dueAt = performance.now()

const post = (message: FromWorker) => port.postMessage(message)

port.on('message', (message: ToWorker) => {
  if (message.kind === 'close') return close()
  const { number, request } = message
  try {
    const value = answer(request)
    postNews()
    post({ kind: 'answer', number, value })
  } catch (error) {
    if (isCorrupt(error)) replace(error)
    post({ kind: 'failed', number, error: toPlainError(error) })
  }
})

openFile()
if (settings.mapsFolder !== undefined) importMaps(settings.mapsFolder)
tidy()
const checking = setInterval(checkFile, checkInterval)

function answer(request: WorkerRequest): unknown {
  if (open === undefined) throw new InboxUnavailable()
  if (request.type === 'ingest') return ingest(request)
  const { writer } = open
  if (request.type === 'check') return checkFile()
  const result = writer.change(request.name, request.input)
  keepRecovery()
  return result
}

/** Stores a batch. If the file is damaged, nothing of the batch was committed, so it is stored in the new file. */
function ingest(request: IngestRequest): IngestOutcome[] {
  lastBatchAt = performance.now()
  const envelopes = unpack(request)
  try {
    return open!.writer.ingest(envelopes, request.key)
  } catch (error) {
    if (!isCorrupt(error)) throw error
    replace(error)
    if (open === undefined) throw new InboxUnavailable({ cause: error })
    return open.writer.ingest(envelopes, request.key)
  }
}

function unpack({ metas, sizes, bytes, fd }: IngestRequest): Envelope[] {
  if (fd !== undefined) return [{ meta: metas[0]!, body: readBody(fd, sizes[0]!) }]
  let at = 0
  return metas.map((meta, index) => ({ meta, body: bytes.subarray(at, (at += sizes[index]!)) }))
}

/** @throws Error when the file has fewer bytes */
function readBody(fd: number, size: number): Uint8Array {
  const body = new Uint8Array(size)
  for (let at = 0; at < size;) {
    const read = readSync(fd, body, at, size - at, at)
    if (read === 0) throw new Error('the body of an envelope is cut short')
    at += read
  }
  return body
}

/** Finds damage that no write hits, which would otherwise show only at the next start. */
function checkFile(): void {
  if (open === undefined) return
  if (inodesOf(file).main !== open.inode) reopen()
  else if (seemsDamaged(file)) replace(new Error('the file is damaged'))
  else keepRecovery()
}

/** Reopens the file because it was removed or replaced: writes to the old one would be lost when this process ends. */
function reopen(): void {
  post({
    kind: 'log',
    level: 'error',
    details: { file },
    message: 'the inbox was removed or replaced while it was open'
  })
  open?.store.close()
  open = undefined
  openFile()
}

function keepRecovery(): void {
  try {
    open?.recovery.update()
    recoveryFailed = ''
  } catch (error) {
    const { message: reason } = error as Error
    if (reason === recoveryFailed) return
    recoveryFailed = reason
    post({
      kind: 'log',
      level: 'warn',
      details: { reason },
      message: 'the recovery copy of the inbox cannot be written'
    })
  }
}

/** Runs between messages, so that each waiting message is answered after one turn. */
function tidy(): void {
  const begin = performance.now()
  const until = begin + Math.min(MAX_TURN, (begin - dueAt - MAX_DELAY) / PAUSE_FACTOR)
  let hasMore: boolean
  do hasMore = tidyOnce()
  while (hasMore && performance.now() < until)
  const end = performance.now()
  const isBusy = end - lastBatchAt < BUSY_PERIOD
  const rest = hasMore ? PAUSE_FACTOR * (end - begin) : TIDY_INTERVAL
  dueAt = end + rest
  if (hasMore && !isBusy) tidying = setImmediate(tidy)
  else resting = setTimeout(tidy, rest)
}

/** Does one small piece of maintenance. @returns whether there is more */
function tidyOnce(): boolean {
  try {
    const hasMore = open?.writer.tidy() ?? false
    postNews()
    tidyFailed = ''
    return hasMore
  } catch (error) {
    reportTidyFailed(error)
    return false
  }
}

function reportTidyFailed(error: unknown): void {
  const { message } = error as Error
  if (isCorrupt(error)) return replace(error)
  if (message === tidyFailed) return
  tidyFailed = message
  post({ kind: 'log', level: 'warn', details: { reason: message }, message: 'the maintenance of the inbox failed' })
}

function postNews(): void {
  if (open === undefined) return
  const { projects, stats } = open.writer
  post({ kind: 'stats', stats })
  if (JSON.stringify(projects) !== reportedProjects) {
    reportedProjects = JSON.stringify(projects)
    post({ kind: 'projects', projects })
  }
  const news = open.writer.takeNews()
  if (news !== undefined) post({ kind: 'news', news })
}

/** @param aside path of the damaged file */
function openFile(aside?: string): void {
  try {
    const { db, corrupt = aside } = openInboxFile(file, settings.maxBytes)
    const store = new SqliteStore(db)
    if (corrupt !== undefined) reportCorrupt(store, corrupt, salvage(corrupt, toRecoveryFile(file), db))
    open = {
      store,
      writer: new InboxWriter(store, settings),
      recovery: new RecoveryCopy(store, toRecoveryFile(file)),
      inode: inodesOf(file).main
    }
    keepRecovery()
    reportedReason = ''
    post({ kind: 'ready', projects: open.writer.projects })
    postNews()
  } catch (error) {
    reportUnavailable(error)
    reopening = setTimeout(openFile, REOPEN_DELAY, aside)
  }
}

/** Imports the build's source maps. Called after `ready`, because it takes a moment and nothing else depends on it. */
function importMaps(folder: string): void {
  try {
    const refused = open?.writer.importMaps(folder) ?? []
    if (refused.length > 0)
      post({ kind: 'log', level: 'warn', details: { refused }, message: 'some source maps cannot be used' })
  } catch (error) {
    const { message: reason } = error as Error
    post({ kind: 'log', level: 'warn', details: { reason }, message: 'the source maps of this build are not stored' })
  }
}

/** Replaces a damaged file. The message `ready` then makes the other connections of this process reopen. */
function replace(error: unknown): void {
  open?.store.close()
  open = undefined
  try {
    openFile(isDamaged(file) ? putCorruptAside(file) : undefined)
  } catch {
    reportUnavailable(error)
  }
}

function reportCorrupt(store: Store, aside: string, salvaged: Record<string, number>): void {
  writeSetting(store, 'corrupt', { at: Date.now(), aside })
  post({
    kind: 'log',
    level: 'error',
    details: { file, aside, salvaged },
    message: 'the inbox was damaged: the damaged file was renamed, and its readable rows were copied to a new inbox'
  })
}

/** Logs each reason once. */
function reportUnavailable(error: unknown): void {
  const { message: reason } = error as Error
  if (reason !== reportedReason)
    post({
      kind: 'log',
      level: 'error',
      details: { file, reason },
      message:
        error instanceof NewerStore
          ? 'the inbox was written by a newer Hull: nothing is stored'
          : 'the inbox cannot be opened'
    })
  reportedReason = reason
  post({ kind: 'unavailable' })
}

function close(): void {
  clearTimeout(reopening)
  clearTimeout(resting)
  clearInterval(checking)
  clearImmediate(tidying)
  open?.store.close()
  open = undefined
  port.close()
}
