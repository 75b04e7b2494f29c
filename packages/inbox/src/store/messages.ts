import type { EnvelopeMeta } from '@hull/monitoring'
import type { News } from './inbox.ts'
import type { Project } from './model.ts'

/*
 * What the main thread and the inbox's worker say to each other.
 */

export interface InboxSettings {
  /** The SQLite file; its folder is made. */
  file: string
  /** Bytes that the file may grow to. */
  maxBytes: number
  /** Days that what comes is kept. */
  retentionDays: number
  /** Where the build put its source maps. */
  mapsFolder?: string
  /** The project's folder: stacks of the server show lines of its files. @default none are read */
  root?: string
  /** The release that this process is. */
  release: string
  environment: string
  /** Milliseconds between two looks for damage of the file. @default 30_000 */
  lookInterval?: number
}

/** What became of an envelope. `refused`: its project is unknown, or takes nothing any more. */
export type IngestOutcome = 'stored' | 'refused'

export interface IngestQuestion {
  ask: 'ingest'
  /** Identifies the batch: one that was committed and comes again is not stored twice. */
  key: string
  metas: EnvelopeMeta[]
  /** Bytes of each body. */
  sizes: number[]
  /** The bodies, one after the other. */
  bytes: Uint8Array<ArrayBuffer>
  /** File that the only body is in, where it is large; `bytes` is empty then. */
  fd?: number
}

export type Question =
  | IngestQuestion
  | { ask: 'change'; name: string; input: unknown }
  /** A reader met damage: look at the file now. */
  | { ask: 'examine' }

export type ToWorker = { kind: 'ask'; number: number; question: Question } | { kind: 'close' }

export interface WriterStats {
  stored: Record<string, number>
  drops: { reason: string; category: string; quantity: number }[]
  bytes: number
  lag: number
}

export type FromWorker =
  /** The file is open: for the first time, or another one in its place. */
  | { kind: 'ready'; projects: Project[] }
  /** It cannot be opened; tried again by and by. */
  | { kind: 'unavailable' }
  | { kind: 'answer'; number: number; value: unknown }
  | { kind: 'failed'; number: number; error: PlainError }
  | { kind: 'projects'; projects: Project[] }
  | { kind: 'news'; news: News }
  | { kind: 'stats'; stats: WriterStats }
  | { kind: 'log'; level: 'info' | 'warn' | 'error'; details: object; message: string }

export type FromScanWorker =
  /** Its modules are loaded. */
  { kind: 'ready' } | { kind: 'answer'; value: unknown } | { kind: 'failed'; error: PlainError }

/** An error on its way to another thread. */
export interface PlainError {
  code?: string
  message: string
}
