import type { IncomingHttpHeaders } from 'node:http'
import { MIMEType } from 'node:util'
import type { FormState, Invalid, PostedValues } from '../client/contracts/form.ts'
import { FormMalformed, TooManyFields } from '../errors.ts'

/** Fields whose values a refused form does not send back. Not passengers, a passport, a footprint or a spotPrice. */
const SECRET_FIELD =
  /pass(?!age|eng|ing|ion|ive|port)|pwd|secret|token|cvc|cvv|(?-i:(?<![a-z])otp|otp(?:code)?$|Otp|OTP)|pin$/i

/** Fields of a form. A guess: more than the largest form needs, and few enough to validate at once. */
const MAX_FIELDS = 2_000

/**
 * Parses the fields of a posted form.
 * @param body the raw body, already within the size limit; undefined for an empty one
 * @throws FormMalformed, TooManyFields
 */
export async function readForm(body: Buffer | undefined, headers: IncomingHttpHeaders): Promise<FormData> {
  const type = headers['content-type']
  if (!body || !type) return new FormData()
  refuseManyFields(body, type)
  const form = await parseForm(body, type)
  let count = 0
  for (const _field of form.keys()) if (++count > MAX_FIELDS) throw new TooManyFields(MAX_FIELDS)
  return form
}

/** Counts the separators of fields first: parsing the half million fields of a mebibyte takes seconds. */
function refuseManyFields(body: Buffer, type: string): void {
  const boundary = boundaryOf(type)
  const separator = boundary === null ? '&' : `--${boundary}`
  let count = 0
  for (let at = body.indexOf(separator); at !== -1; at = body.indexOf(separator, at + separator.length))
    // A multipart form has a boundary before the first field and after the last.
    if (++count > MAX_FIELDS + 1) throw new TooManyFields(MAX_FIELDS)
}

/** Returns the boundary that the parser of forms finds; null for a type without one. */
function boundaryOf(type: string): string | null {
  try {
    const { type: kind, params } = new MIMEType(type)
    return kind === 'multipart' ? params.get('boundary') : null
  } catch (cause) {
    throw new FormMalformed({ cause })
  }
}

async function parseForm(body: Buffer, type: string): Promise<FormData> {
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
export function toFormState(
  form: FormData,
  { errors, values }: Invalid
): FormState<Record<string, string>, PostedValues> {
  return { errors, values: values ?? toValues(form) }
}

/**
 * Returns the entered text, without secrets.
 * @param options.lists collects the values of `name[]` in a list under `name`
 */
export function toValues(form: FormData, { lists = false } = {}): PostedValues {
  const values = new Map<string, string | string[]>()
  for (const [field, value] of form) {
    const isList = lists && field.endsWith('[]')
    const name = isList ? field.slice(0, -2) : field
    if (typeof value !== 'string' || SECRET_FIELD.test(name)) continue
    const present = values.get(name)
    if (isList && Array.isArray(present)) present.push(value)
    else values.set(name, isList ? [value] : value)
  }
  values.delete('__proto__')
  return Object.fromEntries(values)
}
