/** Returns a function for each name in a table, which passes its name and its input on. */
export const askByName = (
  table: object,
  ask: (name: string, input: unknown) => Promise<unknown>
): Record<string, (input: unknown) => Promise<unknown>> =>
  Object.fromEntries(Object.keys(table).map((name) => [name, (input: unknown) => ask(name, input)]))
