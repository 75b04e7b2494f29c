import type { EnvelopeMeta } from '@hull/monitoring'
import type { Grants } from '../access/roles.ts'
import type { AlertWork } from '../alerts/work.ts'
import type { AttachmentLimits } from '../ingest/items/attachment.ts'
import type { News, WriterStats } from './inbox.ts'
import type { LargeBody } from './large-body.ts'
import type { Project } from './model.ts'
import type { StorePlace } from './reader.ts'

/* Messages between the main thread and the inbox's worker. */

export interface InboxSettings extends StorePlace {
  /** Maximum size of the file in bytes. A database has none. */
  maxBytes: number
  /** Days for which data is kept. */
  retentionDays: number
  /** Key of the first project, 32 hex digits. @default generated once */
  key?: string | undefined
  /** Name with which the first project is created. @default OWN_NAME */
  firstProject?: string
  /** @default ATTACHMENT_LIMITS */
  attachments?: AttachmentLimits
  /** Folder with the source maps of the build. */
  mapsFolder?: string
  /** The project's folder. Stack traces of the server show source lines of its files. @default no files are read */
  root?: string
  /** Release of the application that runs in this process. @default none: the inbox runs alone */
  release?: string
  /** Commit of the release, for links to the source. @default the commit at the end of the release, if it has one */
  commit?: string
  /** Milliseconds between checks of the file for damage, or of the connection. @default 30_000 */
  checkInterval?: number
}

/** Result for an envelope. `refused`: its project is unknown or removed. */
export type IngestOutcome = 'stored' | 'refused'

export interface IngestRequest {
  type: 'ingest'
  /** Identifies the batch. A batch that is sent again after its commit is not stored twice. */
  key: string
  metas: EnvelopeMeta[]
  /** Bytes of each body. */
  sizes: number[]
  /** The bodies, concatenated. */
  bytes: Uint8Array<ArrayBuffer>
  /** The only body, if that is large; `bytes` is then empty. */
  large?: LargeBody
}

export type WorkerRequest =
  | IngestRequest
  | {
      type: 'change'
      name: string
      input: unknown
      /** Shared memory, 1 when nobody waits any more: then the change is not made. @default it is always made */
      givenUp?: Int32Array<SharedArrayBuffer>
    }
  | { type: 'alertWork'; input: AlertWork }
  /** A reader found damage: check the store now. */
  | { type: 'check' }

export type ToWorker = { kind: 'request'; number: number; request: WorkerRequest } | { kind: 'close' }

export type FromWorker =
  /** The store was opened, or its file replaced by another one. */
  | { kind: 'ready'; projects: Project[] }
  /** The store cannot be opened. The worker retries. */
  | { kind: 'unavailable' }
  | { kind: 'answer'; number: number; value: unknown }
  | { kind: 'failed'; number: number; error: PlainError }
  | { kind: 'projects'; projects: Project[] }
  | { kind: 'news'; news: News }
  | { kind: 'stats'; stats: WriterStats }
  | { kind: 'log'; level: 'info' | 'warn' | 'error'; details: object; message: string }

export interface QuerySettings extends StorePlace {
  /** Milliseconds for one query. */
  deadline: number
}

/** Queries to run together. Each is answered, in their order. */
export type ToQueryWorker = {
  name: string
  input: unknown
  /** Limits the query to the projects of a person. */
  grants: Grants | undefined
}[]

export type FromQueryWorker =
  /** The worker has loaded its modules, and has tried to connect to the database, if there is one. */
  { kind: 'ready' } | { kind: 'answer'; value: unknown } | { kind: 'failed'; error: PlainError }

/** An error as plain data, to send it to another thread. */
export interface PlainError {
  code?: string
  message: string
}
