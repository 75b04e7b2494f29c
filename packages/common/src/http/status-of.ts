import { readProperty } from '../readable-error.ts'

/** HTTP status of an error or a Response. */
export function statusOf(value: unknown): number | undefined {
  const status = readProperty(value, 'statusCode') ?? readProperty(value, 'status')
  return typeof status === 'number' ? status : undefined
}
