import { HOUR } from '@hull/common/time.ts'
import { readSetting } from '../store/stored-settings.ts'
import type { Store } from '../store/store.ts'

/** Milliseconds after its end from which on a time is over: readers keep what its rollups say. */
export const SETTLED_AFTER = HOUR

/** Milliseconds after which a change is told. Sooner: between a writer's look at the clock and its commit a reader may take the hour for over. */
const TOLD_AFTER = SETTLED_AFTER / 2

/** Tells readers where an hour, since the epoch, is one that they may have kept. Belongs into the transaction of the change. */
export function noteChange(store: Store, hour: number): void {
  if ((hour + 1) * HOUR < Date.now() - TOLD_AFTER) bumpRollupCacheVersion(store)
}

/** Tells readers that what they have kept is no longer so. */
export function bumpRollupCacheVersion(store: Store): void {
  store.run(
    `INSERT INTO setting (name, value) VALUES ('late_changes', '1')
     ON CONFLICT (name) DO UPDATE SET value = CAST(value + 1 AS TEXT)`
  )
}

/** Changes so far: where it is another number than before, read anew. */
export const readRollupCacheVersion = (store: Store): number => readSetting(store, 'late_changes') ?? 0
