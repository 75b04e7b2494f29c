import type { Blocked } from '../delivery/rate-limits.ts'
import type { EnvelopeMeta } from '../delivery/types.ts'

/*
 * What the main thread and the spool's worker say to each other.
 */

/**
 * Why something was dropped: Sentry's discard reasons, and `expired`, which is ours.
 * @see https://develop.sentry.dev/sdk/telemetry/client-reports/
 */
export type DropReason =
  | 'queue_overflow'
  | 'ratelimit_backoff'
  | 'network_error'
  | 'send_error'
  | 'expired'
  | 'internal_sdk_error'

/** Items of one category that were dropped for one reason. */
export interface Discarded {
  reason: DropReason
  category: string
  quantity: number
}

/** All that an envelope holds. */
export const toDiscarded = (counts: EnvelopeMeta['counts'], reason: DropReason): Discarded[] =>
  Object.entries(counts)
    .filter(([, quantity]) => Number.isSafeInteger(quantity) && quantity > 0)
    .map(([category, quantity]) => ({ reason, category, quantity }))

export interface Stored {
  id: number
  lane: string
  attempts: number
  /** Bytes of the body. */
  size: number
  /** Rows of the body. */
  rows: number
  /** EnvelopeMeta, as JSON. */
  meta: string
}

/** Part of a body, written before its envelope. */
export interface RowOperation {
  op: 'row'
  id: number
  /** 0 for the first. */
  seq: number
  bytes: Uint8Array<ArrayBuffer>
}

/** An envelope; with `bytes` also its only row. */
export interface PutOperation extends Omit<Stored, 'attempts'> {
  op: 'put'
  /** By this the answer names it. */
  ticket: number
  dsn: string
  /** Milliseconds since the epoch. */
  receivedAt: number
  bytes?: Uint8Array<ArrayBuffer>
}

/** Envelopes that bring their only row along, in columns: the nth of each belong together. */
export interface PackedPuts {
  /** What many have in common. */
  kinds: Array<Pick<PutOperation, 'dsn' | 'lane'>>
  /** Of {@link kinds}. */
  kind: number[]
  ticket: number[]
  id: number[]
  receivedAt: number[]
  size: number[]
  meta: string[]
  /** The bodies, one after the other. */
  bytes: Uint8Array<ArrayBuffer>
}

/** Operations on their way to the worker. */
export interface Packed {
  puts?: PackedPuts
  others: SpoolOperation[]
}

/** Ids in these are those that {@link TakeQuestion} gave out. They can be repeated. */
export type LastingOperation =
  | { op: 'delivered'; id: number }
  | { op: 'drop'; id: number; reason: DropReason }
  /** Not before `due`, in milliseconds since the epoch. */
  | { op: 'set-aside'; id: number; due: number }
  /** What was set aside is due. */
  | { op: 'release'; dsn: string }
  /** Drops what was received before `before`; `reasons` by DSN, for what its limits hold back and for the rest. */
  | { op: 'expire'; before: number; reasons: Record<string, { blocked: Blocked; otherwise: DropReason }> }
  /** Dropped without having been in the spool. */
  | { op: 'lost'; dsn: string; discarded: readonly Discarded[] }
  /** The provider was told. */
  | { op: 'reported'; dsn: string; discarded: readonly Discarded[] }

export type SpoolOperation = RowOperation | PutOperation | { op: 'abort'; id: number } | LastingOperation

const LASTING = new Set<SpoolOperation['op']>([
  'delivered',
  'drop',
  'set-aside',
  'release',
  'expire',
  'lost',
  'reported'
])

export const isLasting = (operation: SpoolOperation): operation is LastingOperation => LASTING.has(operation.op)

/** What is left of an operation when nothing new can be kept: nobody will ask for rows of an envelope that is refused. */
export function toFreeing(operation: SpoolOperation): SpoolOperation[] {
  if (operation.op === 'put') return operation.bytes === undefined ? [{ op: 'abort', id: operation.id }] : []
  return operation.op === 'row' ? [] : [operation]
}

/** Bytes of bodies. */
export const bytesOf = (operations: readonly SpoolOperation[]): number =>
  operations.reduce((sum, operation) => sum + ('bytes' in operation ? (operation.bytes?.byteLength ?? 0) : 0), 0)

export interface TakeQuestion {
  ask: 'take'
  dsn: string
  blocked: Blocked
  /** Envelopes at most. */
  count: number
  /** Milliseconds since the epoch. */
  now: number
  /** Ids that are on their way already. */
  exclude: readonly number[]
  /** Also what was set aside for longer. */
  evenEarly: boolean
}

export interface TakeAnswer {
  envelopes: Array<Stored & { bytes?: Uint8Array<ArrayBuffer> }>
  /** When the first of those that were set aside is due, in milliseconds since the epoch. */
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
  /** Bytes that count against the bound. */
  bytes: number
  envelopes: number
  /** When the oldest was received, in milliseconds since the epoch. */
  oldest?: number
  /** Envelopes by DSN. */
  waiting: Record<string, number>
  /** DSNs whose providers are to be told of drops. */
  unreported: string[]
  /** The last expiry left some for the next. */
  moreExpired: boolean
}

export type FromWorker =
  /** With `failed` only what makes room was done, and no envelope was kept. */
  | { kind: 'batch'; refused: number[]; discarded: Discarded[]; state: SpoolState; failed?: string }
  | { kind: 'answer'; number: number; value: unknown }
  /** Nothing of the batch was done, or there is no answer. */
  | { kind: 'failed'; number?: number; reason: string }
  /** Sent when envelopes of another file were taken over; `discarded` could not be read in it. */
  | { kind: 'state'; state: SpoolState; discarded?: Discarded[] }
  | { kind: 'log'; level: 'info' | 'warn'; details: object; message: string }

export interface WorkerSettings {
  /** The first id that a writer of this process may have. */
  firstId: number
  file: string
  maxBytes: number
  maxFileBytes: number
  /** Milliseconds between two looks at whether the file is damaged. @default 30_000 */
  lookInterval?: number
}
