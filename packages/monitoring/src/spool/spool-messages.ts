import { attempt } from '@hull/common/attempt.ts'
import type { Blocked } from '../delivery/rate-limits.ts'
import type { EnvelopeMeta } from '../delivery/envelope-sink.ts'
import type { Discarded, DropReason } from './drops.ts'

/* Messages between the main thread and the spool's worker. */

/** Maximum rows of an envelope. Room for 32 MiB, even while many bodies arrive. */
export const ROWS_PER_ENVELOPE = 1_024

export interface Stored {
  id: number
  lane: string
  attempts: number
  /** Bytes of the body. */
  size: number
  /** Number of rows of the body. */
  rows: number
  /** {@link EnvelopeMeta} as JSON. */
  meta: string
}

/**
 * Parses the metadata of a stored envelope.
 * @returns undefined if it is damaged
 */
export function parseMeta(json: string): EnvelopeMeta | undefined {
  const meta = attempt(() => JSON.parse(json) as EnvelopeMeta | null)
  return meta?.counts instanceof Object && meta.header instanceof Object ? meta : undefined
}

/** Part of a body, written before its envelope. */
export interface RowOperation {
  op: 'row'
  id: number
  /** Position of the row, from 0. */
  seq: number
  bytes: Uint8Array<ArrayBuffer>
}

/** An envelope; with `bytes`, also the only row of its body. */
export interface PutOperation extends Omit<Stored, 'attempts'> {
  op: 'put'
  /** Identifies the operation in the answer. */
  ticket: number
  dsn: string
  /** Milliseconds since the epoch. */
  receivedAt: number
  bytes?: Uint8Array<ArrayBuffer>
}

/** Envelopes with a body of one row, in columns: the nth entries of all columns are one envelope. */
export interface PackedPuts {
  /** DSN and lane, shared by many envelopes. */
  kinds: Array<Pick<PutOperation, 'dsn' | 'lane'>>
  /** Indexes in {@link kinds}. */
  kind: number[]
  ticket: number[]
  id: number[]
  receivedAt: number[]
  size: number[]
  meta: string[]
  /** Bodies, one after another. */
  bytes: Uint8Array<ArrayBuffer>
}

/** Operations on their way to the worker. */
export interface Packed {
  puts?: PackedPuts
  others: SpoolOperation[]
}

/** Removes the rows of an envelope that its writer gave up. */
interface AbortOperation {
  op: 'abort'
  id: number
}

/** Operations of a writer, whose ids are its own. */
export type WriterOperation = RowOperation | PutOperation | AbortOperation

/** Operations that can be repeated. Their ids are from a {@link TakeAnswer}. */
type RepeatableOperation =
  | { op: 'delivered'; id: number }
  | { op: 'drop'; id: number; reason: DropReason }
  /** Postpones the next attempt until `due`, in milliseconds since the epoch. */
  | { op: 'set-aside'; id: number; due: number }
  /** Makes all envelopes due that were set aside. */
  | { op: 'release'; dsn: string }
  /**
   * Drops envelopes that were received before `before`. `reasons` has, by DSN, the limited categories, and the reason
   * for envelopes without a limit.
   */
  | { op: 'expire'; before: number; reasons: Record<string, { blocked: Blocked; otherwise: DropReason }> }
  /** Counts drops of envelopes that were never in the spool. */
  | { op: 'count-drops'; dsn: string; discarded: readonly Discarded[] }
  /** Subtracts drops that were reported to the provider. */
  | { op: 'reported'; dsn: string; discarded: readonly Discarded[] }

export type SpoolOperation = WriterOperation | RepeatableOperation

export const isOfWriter = (operation: SpoolOperation): operation is WriterOperation =>
  operation.op === 'row' || operation.op === 'put' || operation.op === 'abort'

/** Returns what remains of an operation if nothing new can be stored. The rows of a refused envelope are not needed. */
export function withoutNewData(operation: SpoolOperation): SpoolOperation[] {
  if (operation.op === 'put') return operation.bytes === undefined ? [{ op: 'abort', id: operation.id }] : []
  return operation.op === 'row' ? [] : [operation]
}

/** Total bytes of the bodies. */
export const bytesOf = (operations: readonly SpoolOperation[]): number =>
  operations.reduce((sum, operation) => sum + ('bytes' in operation ? (operation.bytes?.byteLength ?? 0) : 0), 0)

export interface TakeQuestion {
  ask: 'take'
  dsn: string
  blocked: Blocked
  /** Maximum envelopes to return. */
  count: number
  /** Milliseconds since the epoch. */
  now: number
  /** Ids of envelopes that are queued or being sent. */
  exclude: readonly number[]
  /** Also takes envelopes that were set aside and are not due yet. */
  evenEarly: boolean
}

export interface TakeAnswer {
  envelopes: Array<Stored & { bytes?: Uint8Array<ArrayBuffer> }>
  /** Time when the first envelope that was set aside is due, in milliseconds since the epoch. */
  nextDue?: number
}

export interface Questions {
  take: { question: TakeQuestion; answer: TakeAnswer }
  row: { question: { ask: 'row'; id: number; seq: number }; answer: Uint8Array<ArrayBuffer> | undefined }
  drops: { question: { ask: 'drops'; dsn: string }; answer: Discarded[] }
}
export type Question = Questions[keyof Questions]['question']

export type ToWorker =
  | ({ kind: 'batch' } & Packed)
  | { kind: 'ask'; number: number; question: Question }
  | { kind: 'close' }

export interface SpoolState {
  /** Bytes that count against `maxBytes`. */
  bytes: number
  envelopes: number
  /** When the oldest envelope was received, in milliseconds since the epoch. */
  oldest?: number
  /** When the newest envelope of earlier processes was received, in milliseconds since the epoch. */
  newestLeft?: number
  /** Number of envelopes by DSN. */
  waiting: Record<string, number>
  /** DSNs with drops that were not reported to the provider yet. */
  unreported: string[]
  /** The last expiry reached its limit, so there may be more expired envelopes. */
  moreExpired: boolean
}

export type FromWorker =
  /** With `failed`, only operations that free space were applied, and no envelope was stored. */
  | { kind: 'batch'; refused: number[]; discarded: Discarded[]; state: SpoolState; failed?: string }
  | { kind: 'answer'; number: number; value: unknown }
  /** Nothing of the batch was applied, or the question has no answer. */
  | { kind: 'failed'; number?: number; reason: string }
  /** Sent when envelopes of another file were taken over; `discarded` has those that could not be read. */
  | { kind: 'state'; state: SpoolState; discarded?: Discarded[] }
  | { kind: 'log'; level: 'info' | 'warn'; details: object; message: string }

export interface WorkerSettings {
  /** Lowest id that a writer of this process may use. */
  firstId: number
  file: string
  maxBytes: number
  maxFileBytes: number
  /** Milliseconds between checks of the file for damage. @default 30_000 */
  checkInterval?: number
}
