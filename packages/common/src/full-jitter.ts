/**
 * Random delay from 0 to `min(cap, base * 2 ** tries)` milliseconds, so that callers that failed together do not retry
 * together.
 */
export const fullJitter = (base: number, tries: number, cap: number): number =>
  Math.random() * Math.min(cap, base * 2 ** tries)
