import type { EnvelopeSink, EnvelopeWriter } from '@hull/monitoring'
import { LazyValue } from '@hull/common/lazy-value.ts'
import { askByName } from './ask-by-name.ts'
import { NO_STATS, type Inbox, type InboxStats, type News, type Promised } from './inbox.ts'
import { OWN_PROJECT } from './model.ts'

export interface LazyInbox extends Inbox {
  /** Opens the inbox. The first query, change or envelope also opens it. */
  open: () => Promise<Inbox>
  /** Passes on news of another replica. */
  announce: (news: News) => void
}

const UNOPENED: InboxStats = {
  ...NO_STATS,
  available: true,
  waiting: { envelopes: 0, bytes: 0 },
  spooled: { envelopes: 0, bytes: 0, oldestAge: 0 }
}

/** Creates an inbox that opens its file and starts its threads at the first use. */
export function createLazyInbox(openInbox: () => Promise<Inbox>): LazyInbox {
  let opened: Inbox | undefined

  // Adding a listener does not open the inbox: there is no news before.
  const listeners = new Set<(news: News) => void>()
  const announce = (news: News) => {
    for (const listener of listeners) listener(news)
  }
  const lazyInbox = new LazyValue(async () => {
    const inbox = await openInbox()
    inbox.onNews(announce)
    return (opened = inbox)
  })
  const open = () => lazyInbox.get()

  const sink: EnvelopeSink = {
    accept: async (envelope) => (opened ?? (await open())).sink.accept(envelope),
    begin: (dsn) => opened?.sink.begin(dsn) ?? beginLater(open().then((inbox) => inbox.sink.begin(dsn))),
    rateLimits: (dsn) => opened?.sink.rateLimits(dsn)
  }
  const queries = createDeferredTable(async () => (await open()).queries)
  const changes = createDeferredTable(async () => (await open()).changes)

  return {
    open,
    announce,
    sink,
    get queries() {
      return opened?.queries ?? queries
    },
    queriesFor: (grants) =>
      opened?.queriesFor(grants) ?? createDeferredTable(async () => (await open()).queriesFor(grants)),
    get changes() {
      return opened?.changes ?? changes
    },
    hasAlertWork: async (input) => (opened ?? (await open())).hasAlertWork(input),
    get own() {
      return opened?.own ?? { id: OWN_PROJECT, name: '', key: '', created: 0 }
    },
    get hasFixedKey() {
      return opened?.hasFixedKey ?? false
    },
    findProject: (key) => opened?.findProject(key),
    onNews(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stats: () => opened?.stats() ?? UNOPENED,
    close: async () => (await lazyInbox.peek())?.close()
  }
}

/** Returns a writer that waits until the sink is open. */
function beginLater(opening: Promise<EnvelopeWriter>): EnvelopeWriter {
  return {
    write: async (chunk) => (await opening).write(chunk),
    commit: async (meta) => (await opening).commit(meta),
    // If the inbox cannot be opened, there is nothing to give up.
    abort: () =>
      void opening.then(
        (writer) => writer.abort(),
        () => {}
      )
  }
}

/** Returns a table with a function for any name. Each call waits for the real table. */
function createDeferredTable<Table extends Promised<object>>(table: () => Promise<Table>): Table {
  return askByName(async (name, input) => {
    const functions = (await table()) as Record<string, (input: unknown) => unknown>
    return functions[name]!(input)
  })
}
