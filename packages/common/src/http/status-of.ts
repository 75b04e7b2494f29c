import { readProperty } from '../read-property.ts'

/** HTTP status of an error or a Response. */
export const statusOf = (value: unknown): number | undefined => findStatus(value, 100)

/** HTTP status of an error, from 400: one below says nothing about an error. */
export const failureStatusOf = (error: unknown): number | undefined => findStatus(error, 400)

/** Leaves out numbers with another meaning, such as the exit code of a program, or 0 for a request without an answer. */
function findStatus(value: unknown, least: number): number | undefined {
  for (const name of ['statusCode', 'status']) {
    const status = readProperty(value, name)
    if (typeof status === 'number' && status >= least && status < 600) return status
  }
  return undefined
}
