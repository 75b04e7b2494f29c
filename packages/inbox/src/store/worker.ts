import type { Envelope } from '@hull/monitoring'
import { parentPort, workerData } from 'node:worker_threads'
import { collectGarbage } from '@hull/common/collect-garbage.ts'
import { hasAlertWork } from '../alerts/work.ts'
import { InboxUnavailable } from '../errors.ts'
import { InboxWriter, WriterTotals } from './writer.ts'
import { FAILURE_PERIOD, type StoreFailure } from './inbox.ts'
import { readLargeBody } from './large-body.ts'
import type { FromWorker, InboxSettings, IngestOutcome, IngestRequest, WorkerRequest, ToWorker } from './messages.ts'
import { toPlainError } from './plain-error.ts'
import { NewerStore } from './newer-store.ts'
import { PostgresKeeper } from './postgres/postgres-keeper.ts'
import { SqliteKeeper } from './sqlite/sqlite-keeper.ts'
import { toVisibleError } from './store-errors.ts'
import type { StoreKeeper } from './store-keeper.ts'
import type { Store } from './store.ts'

/* The thread that owns the writing connection. It answers messages one at a time and reports errors. */

/**
 * Milliseconds until the worker retries to open the store. The disk may have room again or be mounted again, or the
 * database be reachable.
 */
const REOPEN_DELAY = 2_000

/** Milliseconds between turns of maintenance if none is pending. */
const TIDY_INTERVAL = 1_000

/** Milliseconds between checks of the store, and of the recovery copy. */
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

/** Milliseconds between the start of the thread and the collection of what the start leaves in memory. A guess. */
const COLLECT_DELAY = 1_000

const port = parentPort!
const { file, database, checkInterval = CHECK_INTERVAL, ...others } = workerData as InboxSettings
/** The size of a database is bounded by its own server. */
const settings = database === undefined ? others : { ...others, maxBytes: 0 }

const totals = new WriterTotals()
let opened: { store: Store; writer: InboxWriter } | undefined
let reopening: NodeJS.Timeout | undefined
/** The last reported reason why the store could not be opened. */
let reportedReason = ''
let reportedProjects = ''
let tidyFailed = ''
/** The last batch that could not be stored. */
let failure: StoreFailure | undefined
let tidying: NodeJS.Immediate | undefined
let resting: NodeJS.Timeout | undefined
/** When the last batch arrived, and when the next turn of maintenance is due. */
let lastBatchAt = -Infinity
let dueAt = performance.now()

const post = (message: FromWorker) => port.postMessage(message)
const report = (level: 'info' | 'warn' | 'error', details: object, message: string) =>
  post({ kind: 'log', level, details, message })

const keeper: StoreKeeper =
  database === undefined
    ? new SqliteKeeper({ file, maxBytes: settings.maxBytes, report })
    : new PostgresKeeper(database)

port.on('message', (message: ToWorker) => {
  if (message.kind === 'close') return close()
  const { number, request } = message
  try {
    const value = answer(request)
    postUpdates()
    post({ kind: 'answer', number, value })
  } catch (error) {
    post({ kind: 'failed', number, error: toPlainError(toVisibleError(error)) })
    // Afterwards, because it may take long.
    if (opened !== undefined && keeper.checkError(error)) reopen()
    postUpdates()
  }
})

openStore()
tidy()
setTimeout(collectGarbage, COLLECT_DELAY).unref()
const checking = setInterval(checkStore, checkInterval)

function answer(request: WorkerRequest): unknown {
  if (opened === undefined) throw new InboxUnavailable()
  if (request.type === 'ingest') return ingest(request)
  if (request.type === 'alertWork') return hasAlertWork(opened.store, request.input)
  const { writer } = opened
  if (request.type === 'check') return checkStore()
  const result = writer.change(request.name, request.input, () => checkWanted(request.givenUp))
  keeper.keepCopy()
  return result
}

/** @throws InboxUnavailable if the change was already answered with this error */
function checkWanted(givenUp?: Int32Array<SharedArrayBuffer>): void {
  if (givenUp && Atomics.load(givenUp, 0) === 1) throw new InboxUnavailable()
}

/**
 * Stores a batch. If the store is lost meanwhile, opens it and tries again. If the batch was committed nevertheless, it
 * is recognised by its key.
 */
function ingest(request: IngestRequest): IngestOutcome[] {
  lastBatchAt = performance.now()
  const envelopes = unpack(request)
  try {
    return opened!.writer.ingest(envelopes, request.key)
  } catch (error) {
    if (!keeper.checkError(error)) {
      noteFailure((error as Error).message)
      throw error
    }
    reopen()
    if (opened === undefined) throw new InboxUnavailable({ cause: error })
    return opened.writer.ingest(envelopes, request.key)
  }
}

/** Logs a reason again if it has not been seen for a while. */
function noteFailure(reason: string): void {
  const at = Date.now()
  if (reason !== failure?.reason || Math.abs(at - failure.at) > FAILURE_PERIOD)
    report('error', { ...keeper.place, reason }, 'the inbox does not store envelopes')
  failure = { reason, at }
}

function unpack({ metas, sizes, bytes, large }: IngestRequest): Envelope[] {
  if (large !== undefined) return [{ meta: metas[0]!, body: readLargeBody(large) }]
  let at = 0
  return metas.map((meta, index) => ({ meta, body: bytes.subarray(at, (at += sizes[index]!)) }))
}

function checkStore(): void {
  if (opened !== undefined && keeper.check()) reopen()
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
    const hasMore = opened?.writer.tidy() ?? false
    postUpdates()
    tidyFailed = ''
    return hasMore
  } catch (error) {
    reportTidyFailed(error)
    return false
  }
}

function reportTidyFailed(error: unknown): void {
  if (keeper.checkError(error)) return reopen()
  const { message: reason } = error as Error
  if (reason !== tidyFailed) report('warn', { reason }, 'the maintenance of the inbox failed')
  tidyFailed = reason
}

/** Posts the figures, and what has changed since the last call. */
function postUpdates(): void {
  if (opened === undefined) return
  const { projects, stats } = opened.writer
  post({ kind: 'stats', stats: { ...stats, ...(failure !== undefined && { failure }) } })
  if (JSON.stringify(projects) !== reportedProjects) {
    reportedProjects = JSON.stringify(projects)
    post({ kind: 'projects', projects })
  }
  const news = opened.writer.takeNews()
  if (news !== undefined) post({ kind: 'news', news })
}

function openStore(): void {
  clearTimeout(reopening)
  let store: Store | undefined
  try {
    store = keeper.open()
    opened = { store, writer: new InboxWriter(store, { ...settings, totals }) }
  } catch (error) {
    keeper.checkError(error)
    store?.close()
    reportUnavailable(error)
    reopening = setTimeout(openStore, REOPEN_DELAY)
    return
  }
  reportedReason = ''
  post({ kind: 'ready', projects: opened.writer.projects })
  postUpdates()
  importMaps()
}

/** Opens the store again. The message `ready` then makes the other connections of this process do the same. */
function reopen(): void {
  opened?.store.close()
  opened = undefined
  openStore()
}

/**
 * Imports the build's source maps, unless the store has them: a new file has none. Called after `ready`, because it takes
 * a moment and nothing else depends on it.
 */
function importMaps(): void {
  const { mapsFolder } = settings
  if (mapsFolder === undefined) return
  try {
    const refused = opened?.writer.importMaps(mapsFolder) ?? []
    if (refused.length > 0) report('warn', { refused }, 'some source maps cannot be used')
  } catch (error) {
    const { message: reason } = error as Error
    report('warn', { reason }, 'the source maps of this build are not stored')
  }
}

/** Says to the main thread that the store is not open. Logs each reason once. */
function reportUnavailable(error: unknown): void {
  const { message: reason } = error as Error
  if (reason !== reportedReason)
    report(
      'error',
      { ...keeper.place, reason },
      error instanceof NewerStore
        ? 'the inbox was written by a newer Hull: nothing is stored'
        : 'the inbox cannot be opened'
    )
  reportedReason = reason
  post({ kind: 'unavailable' })
}

function close(): void {
  clearTimeout(reopening)
  clearTimeout(resting)
  clearInterval(checking)
  clearImmediate(tidying)
  opened?.store.close()
  opened = undefined
  port.close()
}
