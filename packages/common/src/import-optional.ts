import { isErrorCode } from './is-error-code.ts'

/** Imports a package that applications install only if they need it. @throws what `missing` returns, if it is not there */
export async function importOptional<T>(load: () => Promise<T>, missing: () => Error): Promise<T> {
  try {
    return await load()
  } catch (error) {
    throw isErrorCode(error, 'ERR_MODULE_NOT_FOUND') ? missing() : error
  }
}
