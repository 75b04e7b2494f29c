import { isCorrupt } from '@hull/common/sqlite-file.ts'
import type { Grants } from '../access/roles.ts'
import { InboxUnavailable } from '../errors.ts'
import { isScan, queries, scans } from '../queries/index.ts'
import type { StorePlace } from './reader.ts'
import { openInboxReader } from './sqlite/file.ts'
import { SqliteStore } from './sqlite/sqlite-store.ts'
import type { Store } from './store.ts'

const TABLE = queries as unknown as Record<string, (store: Store, input: unknown) => unknown>
const DECISIONS: Record<string, (input: never) => boolean> = isScan

/** Runs queries of the file in this thread. Opens a connection with the first one. */
export class LocalQueries {
  readonly #place: StorePlace
  readonly #onDamage: () => void
  #reader: Store | undefined

  /** @param onDamage called when a query found that the file is damaged */
  constructor(place: StorePlace, onDamage: () => void) {
    this.#place = place
    this.#onDamage = onDamage
  }

  /** Whether a query reads so many rows that it must not run here. */
  isScan(name: string, input: unknown): boolean {
    const decide = DECISIONS[name]
    return decide ? decide(input as never) : Object.hasOwn(scans, name)
  }

  run(name: string, input: unknown, grants?: Grants): unknown {
    try {
      const store = this.#open()
      return store.runFor(grants, () => TABLE[name]!(store, input))
    } catch (error) {
      if (!isCorrupt(error)) throw error
      this.close()
      // This query does not wait for the repair.
      this.#onDamage()
      throw new InboxUnavailable({ cause: error })
    }
  }

  /** Closes the connection. The next query opens another one. */
  close(): void {
    this.#reader?.close()
    this.#reader = undefined
  }

  #open(): Store {
    try {
      return (this.#reader ??= new SqliteStore(openInboxReader(this.#place.file)))
    } catch (error) {
      throw new InboxUnavailable({ cause: error })
    }
  }
}
