import type { IncomingHttpHeaders } from 'node:http'
import type { FormState, Invalid } from '../client/contract.ts'
import { FormMalformed } from '../errors.ts'

/** Fields whose value is not shown again: a form that was refused must not carry them back. */
const SECRET_FIELD = /pass|secret|token|cvc|cvv|otp|pin$/i

/**
 * The fields of a posted form.
 * @param body the raw body, already within the size limit; absent for an empty one
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

/** A posted field's text without the space around it; empty where there is none. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

/** What a refused form is shown with: its errors, and what was typed. */
export function toFormState(form: FormData, { errors }: Invalid): FormState {
  const values: Record<string, string> = {}
  for (const [name, value] of form) if (typeof value === 'string' && !SECRET_FIELD.test(name)) values[name] = value
  return { errors, values }
}
