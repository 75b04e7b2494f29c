import { isMarkedVisible } from '../visible-error.ts'
import { readProperty } from '../read-property.ts'

/**
 * Codes of Fastify and its compression for a request that could not be read. Their other errors, and those of all other
 * libraries, are not written for visitors, whatever their status is.
 */
const READING_FAILED = new Set([
  'FST_ERR_BAD_URL',
  'FST_ERR_MAX_PARAM_LENGTH',
  // Of a QUERY (RFC 10008).
  'FST_ERR_ROUTE_MISSING_CONTENT_TYPE',
  'FST_ERR_VALIDATION',
  'FST_ERR_CTP_BODY_TOO_LARGE',
  'FST_ERR_CTP_EMPTY_JSON_BODY',
  'FST_ERR_CTP_INVALID_CONTENT_LENGTH',
  'FST_ERR_CTP_INVALID_JSON_BODY',
  'FST_ERR_CTP_INVALID_MEDIA_TYPE',
  'FST_CP_ERR_INVALID_CONTENT',
  'FST_CP_ERR_INVALID_CONTENT_ENCODING'
])

/**
 * Names of errors without a code that @fastify/send throws for a request for a file: RFC 9110 §14 (Range) and §13
 * (If-Match and similar).
 */
const FILE_REFUSED = new Set(['RangeNotSatisfiableError', 'PreconditionFailedError'])

/** Status of an error that visitors may read; 500 for any other. */
export function visibleStatus(error: unknown): number {
  const status = readProperty(error, 'statusCode')
  const isVisible =
    isMarkedVisible(error) ||
    READING_FAILED.has(codeOf(error) ?? '') ||
    FILE_REFUSED.has(String(readProperty(error, 'name')))
  return isVisible && typeof status === 'number' && status >= 400 && status < 600 ? status : 500
}

/** Code of an error; undefined if it is not a text: a DOMException has a number. */
export function codeOf(error: unknown): string | undefined {
  const code = readProperty(error, 'code')
  return typeof code === 'string' && code !== '' ? code : undefined
}
