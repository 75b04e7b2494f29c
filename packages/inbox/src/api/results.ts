import { z } from 'zod'
import { MAX_COUNT } from '../web/view.ts'

/** Returns those values of an object that a schema lists, in the order of the schema. */
export const pick = <Schema extends z.ZodObject, Row extends object>({ shape }: Schema, row: Row) =>
  Object.fromEntries(
    Object.keys(shape).flatMap((name) => (name in row ? [[name, row[name as keyof Row]]] : []))
  ) as Pick<Row, keyof Row & keyof Schema['shape']>

/* Values that the results of several operations have. */

/** ISO 8601 in UTC. */
export const Time = z.iso.datetime()
export const toTime = (at: number) => new Date(at).toISOString()

/** Issues and feedback are counted up to the same number. */
export const Total = z.int().describe(`Counted up to ${MAX_COUNT}; ${MAX_COUNT + 1} means more`)

export const Next = z.string().optional().describe('Cursor of the next page; absent on the last')
