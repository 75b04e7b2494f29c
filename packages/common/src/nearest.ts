/**
 * Maximum edits for which a word counts as a misspelling. Two edits of a short word would make another word. A guess.
 */
const maxEdits = (word: string): number => (word.length > 4 ? 2 : 1)

/** The known word that was probably meant; undefined if none is similar. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined
  let least = maxEdits(word) + 1
  for (const candidate of known) {
    const edits = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (edits < least) [best, least] = [candidate, edits]
  }
  return best
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}
