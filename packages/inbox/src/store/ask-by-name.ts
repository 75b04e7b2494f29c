import type { Promised } from './inbox.ts'

/**
 * Returns a table with a function for any name, which passes its name and its input on. The table of the names itself
 * need not be loaded for it.
 */
export const askByName = <Table extends Promised<object>>(
  ask: (name: string, input: unknown) => Promise<unknown>
): Table =>
  new Proxy({} as Table, {
    get(_table, name) {
      // A promise that is resolved with the table asks whether the table is a promise itself.
      if (typeof name !== 'string' || name === 'then') return undefined
      return (input: unknown) => ask(name, input)
    }
  })
