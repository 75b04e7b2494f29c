import { formatCount, withCommas } from './format.ts'

/** A count: exact up to 9,999, then `12.4k` with the exact number in its title. */
export function Count({ of }: { of: number }) {
  return of < 10_000 ? withCommas(of) : <span title={withCommas(of)}>{formatCount(of)}</span>
}
