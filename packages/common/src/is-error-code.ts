import { readProperty } from './readable-error.ts'

/**
 * Whether an error is the one with a code of packages/common/src/errors.ts. Not by `instanceof`: the server and the page bundle each
 * load that file.
 */
export const isErrorCode = (error: unknown, code: string): boolean => readProperty(error, 'code') === code
