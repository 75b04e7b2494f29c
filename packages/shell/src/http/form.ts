import type { IncomingHttpHeaders } from 'node:http'
import type { FormState, Invalid } from '../client/contract.ts'
import { FormMalformed } from '../errors.ts'

/** Fields whose values a refused form does not send back. */
const SECRET_FIELD = /pass|secret|token|cvc|cvv|otp|pin$/i

/**
 * Parses the fields of a posted form.
 * @param body the raw body, already within the size limit; undefined for an empty one
 * @throws FormMalformed
 */
export async function readForm(body: Buffer | undefined, headers: IncomingHttpHeaders): Promise<FormData> {
  const type = headers['content-type']
  if (!body || !type) return new FormData()
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  } catch (cause) {
    throw new FormMalformed({ cause })
  }
}

/** Returns a posted field's trimmed text; empty if the field is missing. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

/** Returns the state of a refused form: its errors, and the entered values. */
export function toFormState(form: FormData, { errors }: Invalid): FormState {
  const values: Record<string, string> = {}
  for (const [name, value] of form) if (typeof value === 'string' && !SECRET_FIELD.test(name)) values[name] = value
  return { errors, values }
}
