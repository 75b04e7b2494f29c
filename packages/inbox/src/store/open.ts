import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { WorkerRpc, type Log } from '@hull/common/worker-rpc.ts'
import type { Grants } from '../access/roles.ts'
import { InboxUnavailable } from '../errors.ts'
import { toProvider } from '../receiver.ts'
import { completesWithin } from '@hull/common/completes-within.ts'
import { DAY, SECOND } from '@hull/common/time.ts'
import { changes } from '../mutations/index.ts'
import { fromPlainError } from './plain-error.ts'
import { openInboxReader } from './sqlite/file.ts'
import { NO_STATS, type Inbox, type InboxStats, type News, type Promised, type WriterStats } from './inbox.ts'
import type { FromWorker, InboxSettings, IngestOutcome, IngestRequest, WorkerRequest, ToWorker } from './messages.ts'
import { createKey, OWN_NAME } from './projects.ts'
import { OWN_PROJECT, type Project } from './model.ts'
import { isCorrupt } from '@hull/common/sqlite-file.ts'
import { isScan, queries, scans } from '../queries/index.ts'
import type { Queries } from '../queries/types.ts'
import { QueryThread } from './query-thread.ts'
import { createInboxSink, ThreadEnded } from './sink.ts'
import { SqliteStore } from './sqlite/sqlite-store.ts'
import type { Store } from './store.ts'
import type { Changes } from '../mutations/types.ts'

export interface InboxOptions extends InboxSettings {
  log: Log
  /**
   * Limits of the envelopes that wait while the database cannot be reached: bytes, and age in milliseconds.
   * @default 256 MiB, three days
   */
  spool?: { maxBytes: number; maxAge: number }
}

/** Milliseconds to wait for the file to open. After that, the start continues without it. */
const OPEN_TIMEOUT = 10_000

/**
 * Milliseconds of a query by key or from rollups on PostgreSQL, and how many may wait. Guesses: each takes milliseconds,
 * so these are for a database that is overloaded.
 */
const READ_DEADLINE = 5_000
const MAX_READS = 500

/**
 * Milliseconds for which a change waits for a thread that does nothing, because another process writes. After that, the
 * change is not made. A guess: the screen can still say so before RENDER_TIMEOUT.
 */
const MAX_WAIT = 7_000

/** Changes of the alert loop, which wait longer: a message whose result is not recorded would be sent again. */
const PATIENT: ReadonlySet<string> = new Set<keyof Changes>(['prepareAlerts', 'recordAlert'])

const SPOOL_LIMITS = { maxBytes: 256 * 1024 ** 2, maxAge: 3 * DAY }

/** Messages of the thread that are not answers. */
type Notice = Exclude<FromWorker, { kind: 'answer' | 'failed' | 'log' }>

type Table = Record<string, (store: Store, input: unknown) => unknown>

/**
 * Opens the inbox: its file or database, and the thread that writes it. Never rejects. If the store cannot be used, the
 * inbox logs the reason once and retries; meanwhile queries and changes reject with InboxUnavailable. Envelopes wait in
 * a spool if the store is a database, and are rejected with SpoolUnavailable if it is a file.
 */
export async function openInbox({ log, spool = SPOOL_LIMITS, ...settings }: InboxOptions): Promise<Inbox> {
  const { openOutageSpool } = settings.database === undefined ? {} : await import('./outage-spool.ts')
  const listeners = new Set<(news: News) => void>()
  /** Undefined until the store was read. */
  let projects: Project[] | undefined
  let own: Project = {
    id: OWN_PROJECT,
    name: settings.firstProject ?? OWN_NAME,
    key: settings.key ?? createKey(),
    created: Date.now()
  }
  let stats: WriterStats = NO_STATS
  let available = false
  /** When the thread last did something, by the monotonic clock. */
  let noticedAt = -Infinity
  /** Whether the thread has opened the store before, or has failed to. */
  let isReopened = false
  let reader: Store | undefined
  const opened = Promise.withResolvers<void>()

  function onNotice(notice: Notice): void {
    noticedAt = performance.now()
    if (notice.kind === 'news') for (const listener of listeners) listener(notice.news)
    else if (notice.kind === 'stats') stats = notice.stats
    else if (notice.kind === 'unavailable') setAvailable(false)
    else setProjects(notice.projects)
    if (notice.kind === 'ready') {
      setAvailable(true)
      closeReader()
      // Without an attempt that failed, the threads cannot have opened anything else than the writer.
      if (isReopened) {
        scanThread.restart()
        readThread?.restart()
      }
    }
    if (notice.kind === 'ready' || notice.kind === 'unavailable') {
      isReopened = true
      opened.resolve()
    }
  }

  function setAvailable(now: boolean): void {
    available = now
    outage?.setAvailable(now)
  }

  function setProjects(now: Project[]): void {
    projects = now
    own = now.find(({ id }) => id === OWN_PROJECT) ?? own
  }

  function closeReader(): void {
    reader?.close()
    reader = undefined
  }

  const scanThread = new QueryThread(settings)
  // Queries of SQLite by key run on the main thread. PostgreSQL answers later, and its connection blocks a thread.
  const readThread =
    settings.database === undefined
      ? undefined
      : new QueryThread(settings, { deadline: READ_DEADLINE, maxWaiting: MAX_READS, runsTogether: true })
  /** Pending after the end of a thread whose file was open, until the next thread starts. */
  let restart = Promise.withResolvers<void>()
  const thread = new WorkerRpc<FromWorker, ToWorker>({
    file: new URL('./worker.ts', import.meta.url),
    title: "the inbox's thread",
    name: 'inbox',
    workerData: settings satisfies InboxSettings,
    log,
    createError: (ended) => new InboxUnavailable(ended ? { cause: new ThreadEnded() } : {}),
    onMessage(message) {
      if (message.kind === 'failed') return { number: message.number, error: fromPlainError(message.error) }
      onNotice(message)
      return undefined
    },
    onStart: () => restart.resolve(),
    onEnd() {
      // A thread that ends before its store is open may do so every time.
      if (available) restart = Promise.withResolvers()
      setAvailable(false)
    }
  })
  const send = (request: WorkerRequest, transfer?: ArrayBuffer[]) =>
    thread.ask((number) => ({ kind: 'request', number, request }), transfer)

  function read(): Store {
    if (reader !== undefined) return reader
    try {
      return (reader = new SqliteStore(openInboxReader(settings.file)))
    } catch (error) {
      throw new InboxUnavailable({ cause: error })
    }
  }

  function createQueries(grants?: Grants): Promised<Queries> {
    const direct = promised(queries, async (query, name, input) => {
      if (readThread) return readThread.run(name, input, grants)
      try {
        const store = read()
        return store.runFor(grants, () => query(store, input))
      } catch (error) {
        if (!isCorrupt(error)) throw error
        closeReader()
        // The thread that writes repairs the file. This query does not wait for it.
        send({ type: 'check' }).catch(() => {})
        throw new InboxUnavailable({ cause: error })
      }
    })
    const inScans = promised(scans, (_scan, name, input) => scanThread.run(name, input, grants))
    const inEither = Object.fromEntries(
      Object.entries(isScan as Record<string, (input: unknown) => boolean>).map(([name, isLong]) => [
        name,
        async (input: unknown) => (isLong(input) ? inScans : direct)[name]!(input)
      ])
    )
    return { ...direct, ...inScans, ...inEither } as Promised<Queries>
  }

  const inWorker = promised(changes, (_change, name, input) =>
    PATIENT.has(name) ? send({ type: 'change', name, input }) : change(name, input)
  )

  /** @throws InboxUnavailable if the change waits too long; then it is not made */
  async function change(name: string, input: unknown): Promise<unknown> {
    const givenUp = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const asked = performance.now()
    const made = send({ type: 'change', name, input, givenUp })
    while (!(await completesWithin(made, SECOND))) {
      if (performance.now() - Math.max(asked, noticedAt) < MAX_WAIT) continue
      Atomics.store(givenUp, 0, 1)
      throw new InboxUnavailable()
    }
    return made
  }

  const folder = dirname(settings.file)
  async function ingest(request: IngestRequest, transfer: ArrayBuffer[]): Promise<IngestOutcome[]> {
    await restart.promise
    if (outage && !available) throw new InboxUnavailable()
    return (await send(request, transfer)) as IngestOutcome[]
  }
  const spoolFile = join(folder, 'inbox-spool.db')
  const outage = openOutageSpool?.({
    ...spool,
    file: spoolFile,
    log,
    sink: createInboxSink({ folder, ingest })
  })
  const sink = createInboxSink({ folder, ingest, ...(outage && { keep: outage.keep }) })

  await completesWithin(opened.promise, OPEN_TIMEOUT)
  // Envelopes that waited for the database before the inbox was moved back to the file.
  const leftOver =
    outage || !existsSync(spoolFile)
      ? undefined
      : (await import('@hull/monitoring/delivery')).openOldSpool({
          ...spool,
          file: spoolFile,
          log,
          provider: toProvider(sink)
        })

  return {
    queries: createQueries(),
    queriesFor: createQueries,
    changes: inWorker as Promised<Changes>,
    sink,
    get own() {
      return own
    },
    hasFixedKey: settings.key !== undefined,
    findProject(key) {
      if (!projects) throw new InboxUnavailable()
      return projects.find((project) => project.key === key)
    },
    onNews(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stats: (): InboxStats => ({
      available: available && thread.answers,
      waiting: sink.waiting,
      spooled: outage?.waiting() ?? { envelopes: 0, bytes: 0, oldestAge: 0 },
      ...stats
    }),
    async close() {
      await leftOver?.close()
      await sink.close()
      restart.resolve()
      available = false
      // The writer must close last, so that it can merge the WAL into the file; a read-only connection cannot.
      closeReader()
      await Promise.all([scanThread.close(), readThread?.close()])
      await thread.close()
      // The spool keeps the envelopes that the thread has not stored.
      await sink.close()
      await outage?.close()
    }
  }
}

/** The same functions without the store argument, returning promises. */
function promised(
  table: object,
  ask: (query: Table[string], name: string, input: unknown) => Promise<unknown>
): Record<string, (input: unknown) => Promise<unknown>> {
  const entries = Object.entries(table as Table)
  return Object.fromEntries(entries.map(([name, query]) => [name, (input: unknown) => ask(query, name, input)]))
}
