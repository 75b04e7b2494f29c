/** The address the document was loaded from: `location` has moved on where the visitor has. */
export function documentUrl(): URL {
  const [loaded] = performance.getEntriesByType('navigation')
  return new URL(loaded?.name ?? location.href)
}
