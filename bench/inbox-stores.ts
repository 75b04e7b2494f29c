import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openSeedStore } from '../packages/inbox/src/seed/index.ts'
import { seedInbox } from '../packages/inbox/test/helpers/seed-inbox.ts'
import { CACHE } from './contenders/contender.ts'
import { flushDisk } from './processes.ts'

/** Events and issues of the two stores. The small store also has enough issues for a full page of the list. */
export const STORE_SIZES = {
  small: { events: 1_000, issues: 100 },
  large: { events: 1_000_000, issues: 10_000 }
}
export type StoreSize = keyof typeof STORE_SIZES

/** Folder of a store, which an inbox takes as DATA_DIR, and the database file in it. */
export const storeFolder = (size: StoreSize): string => join(CACHE, `inbox-${size}`)
export const storeFile = (size: StoreSize): string => join(storeFolder(size), 'inbox.db')

/** Replaces a store with a new one, whose events end at `now`. The large store takes about a minute. */
export function fillStore(size: StoreSize, now: number): void {
  removeStore(size)
  mkdirSync(storeFolder(size), { recursive: true })
  const store = openSeedStore(storeFile(size))
  seedInbox(store, { ...STORE_SIZES[size], now })
  store.close()
  flushDisk()
}

export function removeStore(size: StoreSize): void {
  rmSync(storeFolder(size), { recursive: true, force: true })
}
