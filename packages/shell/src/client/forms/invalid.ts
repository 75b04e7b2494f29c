import type { Invalid, InvalidOptions } from '../contracts/form.ts'

/**
 * Refuses the input of an action: return it to show the page again with these errors and the posted values.
 * @param errors message by field name
 */
export function invalid<Errors extends Record<string, string>>(
  errors: Partial<Errors>,
  { status }: InvalidOptions = {}
): Invalid<Errors> {
  return { kind: 'invalid', errors, status }
}
