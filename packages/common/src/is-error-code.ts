import { readProperty } from './read-property.ts'

/**
 * Whether an error has a code of Hull. Does not use `instanceof`, because the server and the page bundle each load the
 * file that declares it.
 */
export const isErrorCode = (error: unknown, code: string): boolean => readProperty(error, 'code') === code
