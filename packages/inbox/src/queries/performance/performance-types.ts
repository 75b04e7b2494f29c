import type { Side, Vital } from '../../store/model.ts'

export interface RouteRow {
  route: string
  side: Side
  requests: number
  errors: number
  /** Milliseconds. */
  p50: number
  p75: number
  p95: number
}

export interface HeatMap {
  start: number
  step: number
  /** Lower bound of the first row in milliseconds. */
  low: number
  /** Upper bounds of the rows in milliseconds, ascending. */
  rows: number[]
  /** Counts by column, then row. */
  counts: number[][]
}

export interface VitalBand {
  p75: number
  samples: number
  /** Shares that add up to 1: good, needs improvement, poor. */
  good: number
  middling: number
  poor: number
}

export interface VitalRow {
  page: string
  vitals: Partial<Record<Vital, VitalBand>>
  samples: number
}

export interface VitalTrend {
  version: string
  at: number
  p75: Partial<Record<Vital, number>>
}
