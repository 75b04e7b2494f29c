import type { EventDetail, SpanDetail } from '../store/model.ts'

/*
 * The format of an export: NDJSON. The first line is a header, the last line an end; between them is one line per row,
 * in the order of TYPES and then of the row's key. docs/transfer.md lists the fields.
 */

/** Version of the format. A reader refuses a newer one. */
export const FORMAT = 1

/** Types of lines, in the order of the file. */
export const TYPES = [
  'project',
  'release',
  'issue',
  'event',
  'attachment',
  'feedback',
  'transaction',
  'span',
  'log',
  'check_in',
  'session',
  'raw_item'
] as const
export type LineType = (typeof TYPES)[number]

/** Rows that an export contains. Times are milliseconds since the epoch. */
export interface ExportFilter {
  project: number | null
  since: number | null
  until: number | null
  types: readonly LineType[]
}

export interface Header {
  type: 'header'
  format: number
  /** Version of Hull that wrote the file. */
  hull: string
  /** Milliseconds since the epoch. */
  at: number
  filter: ExportFilter
  /** Projects of the file. */
  projects: { id: number; name: string }[]
  /** Highest id of each type when the export began. Later rows are not part of it. */
  upTo: Partial<Record<LineType, number>>
}

export interface Line {
  type: string
  project?: number
  [field: string]: unknown
}

export interface EventLine {
  eventId: string
  visitor: string | null
  payload: EventDetail | null
}

/** A span without the fields that its segment has. */
export type SpanLine = Omit<SpanDetail, 'release' | 'parentId' | 'segmentId'> & {
  parentId: string | null
  segmentId: string | null
  release: string | null
}

export type TransactionLine = SpanLine & { spans: SpanLine[]; vitals: Record<string, number> }

/** Parses a line; undefined if it is no JSON object. */
export function parseLine(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Line) : undefined
  } catch {
    return undefined
  }
}
