import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { MIGRATIONS } from '../store/migrations/index.ts'
import { SqliteStore } from '../store/sqlite/sqlite-store.ts'
import { ensureWritableFolder } from '../store/writable-folder.ts'

export { seedShowcase } from './showcase.ts'

/** Opens an empty store, which the caller closes. @param file @default in memory */
export function openSeedStore(file = ':memory:'): SqliteStore {
  if (file !== ':memory:') {
    ensureWritableFolder(file)
    writeFileSync(file, '', { mode: 0o600 })
  }
  const db = new DatabaseSync(file)
  // No other process reads the file before it is complete, so safe writes are off.
  db.exec('PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA synchronous = OFF')
  db.exec('PRAGMA journal_mode = MEMORY; PRAGMA cache_size = -500000')
  for (const migration of MIGRATIONS) db.exec(migration)
  db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
  return new SqliteStore(db)
}
