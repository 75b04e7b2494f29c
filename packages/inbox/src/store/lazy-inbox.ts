import type { EnvelopeSink, EnvelopeWriter } from '@hull/monitoring'
import type { Inbox, InboxStats, News, Promised } from './inbox.ts'
import { OWN_PROJECT } from './model.ts'

export interface LazyInbox extends Inbox {
  /** Opens it. The first question, change or envelope does it too. */
  open: () => Promise<Inbox>
}

const NOTHING: InboxStats = {
  available: true,
  stored: {},
  drops: [],
  bytes: 0,
  waiting: { envelopes: 0, bytes: 0 },
  lag: 0
}

/** An inbox that opens its file, and the threads of that, when it is first used. */
export function createLazyInbox(openInbox: () => Promise<Inbox>): LazyInbox {
  let opening: Promise<Inbox> | undefined
  let opened: Inbox | undefined

  // Whoever waits for news asks for nothing: before it is open there are none.
  const listeners = new Set<(news: News) => void>()
  const open = () =>
    (opening ??= openInbox().then((inbox) => {
      inbox.onNews((news) => {
        for (const listener of listeners) listener(news)
      })
      return (opened = inbox)
    }))

  const sink: EnvelopeSink = {
    accept: async (envelope) => (opened ?? (await open())).sink.accept(envelope),
    begin: (dsn) => opened?.sink.begin(dsn) ?? beginLater(open().then((inbox) => inbox.sink.begin(dsn))),
    rateLimits: (dsn) => opened?.sink.rateLimits(dsn)
  }
  const queries = asking(async () => (await open()).queries)
  const changes = asking(async () => (await open()).changes)

  return {
    open,
    sink,
    get queries() {
      return opened?.queries ?? queries
    },
    get changes() {
      return opened?.changes ?? changes
    },
    get own() {
      return opened?.own ?? { id: OWN_PROJECT, name: '', key: '', created: 0 }
    },
    findProject: (key) => opened?.findProject(key),
    onNews(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stats: () => opened?.stats() ?? NOTHING,
    close: async () => (await opening)?.close()
  }
}

/** A writer of a sink that is being opened. */
function beginLater(opening: Promise<EnvelopeWriter>): EnvelopeWriter {
  return {
    write: async (chunk) => (await opening).write(chunk),
    commit: async (meta) => (await opening).commit(meta),
    abort: () => void opening.then((writer) => writer.abort())
  }
}

/** Functions by any name, each asked of a table that is not there yet. */
function asking<Table extends Promised<object>>(table: () => Promise<Table>): Table {
  const answer = async (name: string, input: unknown) => {
    const functions = (await table()) as Record<string, (input: unknown) => unknown>
    return functions[name]!(input)
  }
  return new Proxy({} as Table, {
    get: (_target, name) => (typeof name === 'string' ? (input: unknown) => answer(name, input) : undefined)
  })
}
