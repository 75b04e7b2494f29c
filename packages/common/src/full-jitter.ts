/** Any wait from 0 to `min(cap, base * 2 ** tries)` milliseconds: those who failed together come back apart. */
export const fullJitter = (base: number, tries: number, cap: number): number =>
  Math.random() * Math.min(cap, base * 2 ** tries)
