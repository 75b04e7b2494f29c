import { z } from 'zod'

/* Values that the results of several operations have. */

/** ISO 8601 in UTC. */
export const Time = z.iso.datetime()
export const toTime = (at: number) => new Date(at).toISOString()

export const Next = z.string().optional().describe('Cursor of the next page; absent on the last')
