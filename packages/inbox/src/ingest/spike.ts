/*
 * An issue that floods the inbox says the same each time. Every event is counted and has its row, and what it says is
 * kept of some. The steps are guesses: a hundred an hour are more than anybody reads.
 */

/** Events of an issue in an hour that are kept whole; then each tenth. */
const ALL = 100

/** Past this each hundredth. */
const TENTH = 1_000

/** Whether an event is kept whole. @param number of its issue in its hour, from 1 */
export function isKept(number: number): boolean {
  if (number <= ALL) return true
  return number % (number <= TENTH ? 10 : 100) === 0
}
