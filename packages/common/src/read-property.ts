/** Property of any value; undefined if reading it throws. */
export function readProperty(value: unknown, name: PropertyKey): unknown {
  try {
    return (value as Record<PropertyKey, unknown> | null | undefined)?.[name]
  } catch {
    return undefined
  }
}
