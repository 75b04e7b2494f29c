import type { Invalid, InvalidOptions } from './contract.ts'

/**
 * Made by an action to refuse its input: the page is shown again with these errors and the values typed.
 * @param errors field name to sentence
 */
export function invalid<Errors extends Record<string, string>>(
  errors: Partial<Errors>,
  { status }: InvalidOptions = {}
): Invalid<Errors> {
  return { kind: 'invalid', errors, status }
}
