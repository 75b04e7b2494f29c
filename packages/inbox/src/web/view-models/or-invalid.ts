import { invalid, type Invalid } from '@hull/shell/client'
import { isErrorCode } from '@hull/common/is-error-code.ts'

/** Result of a change, or an error with the code as a sentence about a field of the form. Rethrows all other errors. */
export async function orInvalid<Result, Field extends string>(
  change: Promise<Result>,
  code: string,
  field: Field
): Promise<Result | Invalid<Record<Field, string>>> {
  try {
    return await change
  } catch (error) {
    if (!isErrorCode(error, code)) throw error
    return invalid({ [field]: `${(error as Error).message}.` } as Record<Field, string>)
  }
}
