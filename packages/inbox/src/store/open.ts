import { dirname } from 'node:path'
import { WorkerRpc, type Log } from '@hull/common/worker-rpc.ts'
import type { Grants } from '../access/roles.ts'
import { InboxUnavailable } from '../errors.ts'
import { completesWithin } from '@hull/common/completes-within.ts'
import { changes } from '../mutations/index.ts'
import { fromPlainError } from '../plain-error.ts'
import { openInboxReader } from './file.ts'
import type { Inbox, InboxStats, News, Promised } from './inbox.ts'
import type { FromWorker, InboxSettings, IngestOutcome, WorkerRequest, ToWorker, WriterStats } from './messages.ts'
import { createKey } from './projects.ts'
import { OWN_PROJECT, type Project } from './model.ts'
import { isCorrupt } from '@hull/common/sqlite-file.ts'
import { isScan, queries, scans } from '../queries/index.ts'
import type { Queries } from '../queries/types.ts'
import { QueryThread } from './query-thread.ts'
import { createInboxSink, ThreadEnded } from './sink.ts'
import { SqliteStore } from './sqlite-store.ts'
import type { Store } from './store.ts'
import type { Changes } from '../mutations/types.ts'

export interface InboxOptions extends InboxSettings {
  log: Log
}

/** Milliseconds to wait for the file to open. After that, the start continues without it. */
const OPEN_TIMEOUT = 10_000

/** Messages of the thread that are not answers. */
type Notice = Exclude<FromWorker, { kind: 'answer' | 'failed' | 'log' }>

type Table = Record<string, (store: Store, input: unknown) => unknown>

/**
 * Opens the inbox: its file and the thread that writes it. Never rejects. If the file cannot be used, the inbox logs
 * the reason once and retries; meanwhile queries and changes reject with InboxUnavailable, envelopes with
 * SpoolUnavailable.
 */
export async function openInbox({ log, ...settings }: InboxOptions): Promise<Inbox> {
  const listeners = new Set<(news: News) => void>()
  let projects: Project[] = []
  let own: Project = {
    id: OWN_PROJECT,
    name: 'This application',
    key: settings.key ?? createKey(),
    created: Date.now()
  }
  let stats: WriterStats = { stored: {}, drops: [], bytes: 0, lag: 0 }
  let available = false
  let reader: Store | undefined
  let onOpened = () => {}
  const opened = new Promise<void>((resolve) => {
    onOpened = resolve
  })

  function onNotice(notice: Notice): void {
    if (notice.kind === 'news') for (const listener of listeners) listener(notice.news)
    else if (notice.kind === 'stats') stats = notice.stats
    else if (notice.kind === 'unavailable') available = false
    else setProjects(notice.projects)
    if (notice.kind === 'ready') {
      available = true
      closeReader()
      scanThread.restart()
    }
    if (notice.kind === 'ready' || notice.kind === 'unavailable') onOpened()
  }

  function setProjects(now: Project[]): void {
    projects = now
    own = projects.find(({ id }) => id === OWN_PROJECT) ?? own
  }

  function closeReader(): void {
    reader?.close()
    reader = undefined
  }

  const scanThread = new QueryThread(settings.file)
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
      // A thread that ends before its file is open may do so every time.
      if (available) restart = Promise.withResolvers()
      available = false
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
    const onMain = promised(queries, async (query, _name, input) => {
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
        async (input: unknown) => (isLong(input) ? inScans : onMain)[name]!(input)
      ])
    )
    return { ...onMain, ...inScans, ...inEither } as Promised<Queries>
  }

  const inWorker = promised(changes, (_change, name, input) => send({ type: 'change', name, input }))

  const sink = createInboxSink({
    folder: dirname(settings.file),
    async ingest(request, transfer) {
      await restart.promise
      return (await send(request, transfer)) as IngestOutcome[]
    }
  })

  await completesWithin(opened, OPEN_TIMEOUT)

  return {
    queries: createQueries(),
    queriesFor: createQueries,
    changes: inWorker as Promised<Changes>,
    sink,
    get own() {
      return own
    },
    hasFixedKey: settings.key !== undefined,
    findProject: (key) => projects.find((project) => project.key === key),
    onNews(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stats: (): InboxStats => ({ available: available && thread.answers, waiting: sink.waiting, ...stats }),
    async close() {
      await sink.close()
      restart.resolve()
      available = false
      // The writer must close last, so that it can merge the WAL into the file; a read-only connection cannot.
      closeReader()
      await scanThread.close()
      await thread.close()
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
