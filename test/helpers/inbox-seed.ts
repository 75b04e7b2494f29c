import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MIGRATIONS } from '../../lib/inbox/migrations/index.ts'
import { Store } from '../../lib/inbox/store.ts'
import { seedShowcase } from './inbox/showcase.ts'

export { seedShowcase } from './inbox/showcase.ts'

/** An empty store, to be closed by whoever asks. @param file @default in memory */
export function openSeedStore(file = ':memory:'): Store {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true })
  const db = new DatabaseSync(file)
  db.exec(
    'PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF'
  )
  for (const migration of MIGRATIONS) db.exec(migration)
  db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
  return new Store(db)
}

// node test/helpers/inbox-seed.ts data/inbox.db: a store to look at the screens with
if (import.meta.main) {
  const [file = 'data/inbox.db'] = process.argv.slice(2)
  if (existsSync(file)) throw new Error(`${file} is there already`)
  const store = openSeedStore(file)
  seedShowcase(store)
  store.close()
}
