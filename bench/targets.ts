import type { ContenderName } from './options.ts'

/** What a ratio is held to. */
export interface Target {
  /** `id` of a measurement. */
  measurement: string
  of: ContenderName
  to: ContenderName
  /** The median of the ratios may be this, */
  atMost?: number
  /** or must be less than this. */
  below?: number
}

export const TARGETS: Target[] = [
  { measurement: 'cpu /', of: 'hull', to: 'floor', atMost: 3 },
  { measurement: 'cpu /list', of: 'hull', to: 'floor', atMost: 1.25 },
  { measurement: 'cpu /cached', of: 'hull', to: 'floor', below: 1 },
  { measurement: 'start', of: 'hull', to: 'next', atMost: 0.6 },
  { measurement: 'memory', of: 'hull', to: 'next', atMost: 0.5 }
]
