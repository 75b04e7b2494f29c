import type { Invalid } from './contract.ts'

/**
 * What an action returns to refuse its input: the page is shown again, as 422, with these errors and the values typed.
 * @param errors field name to sentence
 */
export function invalid<Errors extends Record<string, string>>(errors: Partial<Errors>): Invalid<Errors> {
  return { kind: 'invalid', errors }
}
