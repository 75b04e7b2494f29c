import { readProperty } from '../readable-error.ts'

/** The HTTP status that an error carries or a Response has. */
export function statusOf(value: unknown): number | undefined {
  const status = readProperty(value, 'statusCode') ?? readProperty(value, 'status')
  return typeof status === 'number' ? status : undefined
}
