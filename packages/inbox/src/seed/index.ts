import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MIGRATIONS } from '../store/migrations/index.ts'
import { Store } from '../store/store.ts'
import { seedInbox } from './bulk.ts'
import { seedShowcase } from './showcase.ts'

export { seedInbox, type SeedOptions } from './bulk.ts'
export { seedShowcase } from './showcase.ts'

/** An empty store, to be closed by whoever asks. @param file @default in memory */
export function openSeedStore(file = ':memory:'): Store {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true })
  const db = new DatabaseSync(file)
  // Nobody else looks before it is whole.
  db.exec('PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA synchronous = OFF')
  db.exec('PRAGMA journal_mode = MEMORY; PRAGMA cache_size = -500000')
  for (const migration of MIGRATIONS) db.exec(migration)
  db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
  return new Store(db)
}

// A store to look at the screens with: node packages/test-helpers/src/inbox-seed.ts data/inbox.db, or with a number of events behind it
if (import.meta.main) {
  const [file = 'data/inbox.db', events] = process.argv.slice(2)
  if (existsSync(file)) throw new Error(`${file} is there already`)
  const store = openSeedStore(file)
  if (events === undefined) seedShowcase(store)
  else seedInbox(store, { events: Number(events) })
  store.db.exec('PRAGMA journal_mode = WAL')
  store.close()
}
