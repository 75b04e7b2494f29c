import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openSeedStore, seedInbox } from '../packages/inbox/src/seed/index.ts'
import { CACHE } from './contenders/contender.ts'
import { flushDisk } from './processes.ts'

/** Events and issues of the two stores; the small one fills a page of the list as well. */
export const STORE_SIZES = {
  small: { events: 1_000, issues: 100 },
  large: { events: 1_000_000, issues: 10_000 }
}
export type StoreSize = keyof typeof STORE_SIZES

/** The folder of a store, and its file as an inbox looks for it. */
export const storeFolder = (size: StoreSize): string => join(CACHE, `inbox-${size}`)
export const storeFile = (size: StoreSize): string => join(storeFolder(size), 'inbox.db')

/** A new file in the place of an old one: what it holds ends now. The large one takes about a minute. */
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
