/**
 * Names that are one edit away from a known one, as sentences for the log. Short names are left alone: too much of any
 * environment is one letter away from HOST.
 */
export function findMisspelt(names: string[], known: string[]): string[] {
  const candidates = known.filter((name) => name.length > MAX_SHORT)
  return names.flatMap((name) => {
    const meant = known.includes(name) ? undefined : candidates.find((candidate) => isOneEdit(name, candidate))
    return meant ? [`${name} is no setting and does nothing: is ${meant} meant?`] : []
  })
}

/** Letters; HOST, PORT, LAB and CSP have no more. A guess. */
const MAX_SHORT = 4

/** Whether one letter is missing, too many or another one, or two have changed places. */
function isOneEdit(one: string, other: string): boolean {
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  const [a, b] = [one.slice(start), other.slice(start)]
  return (
    a.slice(1) === b ||
    a === b.slice(1) ||
    a.slice(1) === b.slice(1) ||
    (a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2))
  )
}
