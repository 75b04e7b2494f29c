import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { WorkerRpc, type Log } from '@hull/common/worker-rpc.ts'
import { InboxUnavailable } from '../errors.ts'
import { toProvider } from '../receiver.ts'
import { completesWithin } from '@hull/common/completes-within.ts'
import { DAY, SECOND } from '@hull/common/time.ts'
import type { Changes } from '../mutations/index.ts'
import { fromPlainError } from './plain-error.ts'
import { askByName } from './ask-by-name.ts'
import { NO_STATS, type Inbox, type InboxStats, type News, type Promised, type WriterStats } from './inbox.ts'
import type { FromWorker, InboxSettings, IngestOutcome, IngestRequest, WorkerRequest, ToWorker } from './messages.ts'
import { createKey, OWN_NAME } from './projects.ts'
import { OWN_PROJECT, type Project } from './model.ts'
import { createQueryRunner } from './query-runner.ts'
import { createInboxSink, ThreadEnded } from './sink.ts'

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
 * Milliseconds for which a change waits for a thread that does nothing, because another process writes. After that, the
 * change is not made. A guess: the screen can still say so before RENDER_TIMEOUT.
 */
const MAX_WAIT = 7_000

/** Changes of the alert loop, which wait longer: a message whose result is not recorded would be sent again. */
const PATIENT: ReadonlySet<string> = new Set<keyof Changes>(['prepareAlerts', 'recordAlert'])

const SPOOL_LIMITS = { maxBytes: 256 * 1024 ** 2, maxAge: 3 * DAY }

/** Messages of the thread that are not answers. */
type Notice = Exclude<FromWorker, { kind: 'answer' | 'failed' | 'log' }>

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
  const opened = Promise.withResolvers<void>()

  function onNotice(notice: Notice): void {
    noticedAt = performance.now()
    if (notice.kind === 'news') for (const listener of listeners) listener(notice.news)
    else if (notice.kind === 'stats') stats = notice.stats
    else if (notice.kind === 'unavailable') setAvailable(false)
    else setProjects(notice.projects)
    if (notice.kind === 'ready') {
      setAvailable(true)
      queryRunner.reopen(isReopened)
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

  // The thread that writes repairs a damaged file.
  const queryRunner = createQueryRunner(settings, () => void send({ type: 'check' }).catch(() => {}))
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

  const inWorker = askByName<Promised<Changes>>((name, input) =>
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
    queries: queryRunner.queriesFor(),
    queriesFor: queryRunner.queriesFor,
    changes: inWorker,
    hasAlertWork: async (input) => (await send({ type: 'alertWork', input })) as boolean,
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
      await queryRunner.close()
      await thread.close()
      // The spool keeps the envelopes that the thread has not stored.
      await sink.close()
      await outage?.close()
    }
  }
}
