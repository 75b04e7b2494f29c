import { isCorrupt, isReadOnly } from '@hull/common/sqlite-file.ts'
import type { SpoolFile } from './spool-file.ts'
import { bytesOf, withoutNewData, type SpoolOperation } from './spool-messages.ts'
import { makeRoom, shrinkLog } from './disk-space.ts'
import type { Applied, SpoolStore } from './spool-store.ts'

type OpenSpool = SpoolFile & { opened: SpoolStore }

/** Frees the bodies of a batch at once. Under load, the garbage collector would free them a hundred MiB later. */
export function freeBodies(operations: SpoolOperation[]): void {
  for (const operation of operations) {
    if (!('bytes' in operation) || operation.bytes === undefined) continue
    const { buffer } = operation.bytes
    if (!buffer.detached) buffer.transfer(0)
  }
}

/** On a full disk, operations that need room are refused, and those that free room are applied. */
export function applyBatch(spool: OpenSpool, operations: SpoolOperation[]): Applied & { failed?: string } {
  try {
    makeRoom(spool.db, spool.path, bytesOf(operations))
    return spool.opened.apply(operations)
  } catch (error) {
    if (isCorrupt(error) || isReadOnly(error)) throw error
    const applied = applyInLittleRoom(spool, operations.flatMap(withoutNewData))
    const refused = operations.flatMap((operation) => (operation.op === 'put' ? operation.ticket : []))
    return { ...applied, refused, failed: (error as Error).message }
  }
}

function applyInLittleRoom({ db, opened: store }: OpenSpool, operations: SpoolOperation[]): Applied {
  try {
    return store.apply(operations)
  } catch (error) {
    if (isCorrupt(error)) throw error
    // Deletions grow the log, too.
    shrinkLog(db)
    return store.apply(operations)
  }
}
