import type { StandardSchemaV1 } from '@standard-schema/spec'

/** Posted fields as an object: text, files, lists (`name[]`) and objects (`a.b`). */
export interface Fields {
  [name: string]: FormDataEntryValue | FormDataEntryValue[] | Fields
}

/** Name of the field with a form's token, which is no field of a schema. */
export const FORM_TOKEN = 'form-token'

/** Maximum segments of a field's name. A guess: forms are less nested. */
const MAX_DEPTH = 8

/** Segments that name the prototype of an object. Code that merges objects would change all objects. */
const REFUSED_SEGMENTS = new Set(['__proto__', 'constructor', 'prototype'])

/** A field has a name that cannot become a member of an object. */
export class FieldNameError extends Error {
  override readonly name = 'FieldNameError'
}

/**
 * Converts fields to an object. `tags[]` is a list, `address.city` an object. Of several fields with any other name the
 * last one counts, as in `form.values`. A file input without a file is left out.
 * @throws FieldNameError for a name with `__proto__`, `constructor` or `prototype`, for more than 8 segments, and for
 * two names that exclude each other, such as `a` and `a.b`
 */
export function toFields(entries: Iterable<[string, FormDataEntryValue]>): Fields {
  const fields: Fields = {}
  for (const [name, value] of entries) if (name !== FORM_TOKEN && !isEmptyFile(value)) setField(fields, name, value)
  return fields
}

/** Whether a value is the empty file that browsers send for a file input without a file. */
const isEmptyFile = (value: FormDataEntryValue) => typeof value !== 'string' && value.name === '' && value.size === 0

function setField(fields: Fields, name: string, value: FormDataEntryValue) {
  const isList = name.endsWith('[]')
  const path = (isList ? name.slice(0, -2) : name).split('.')
  if (path.length > MAX_DEPTH || path.some((segment) => REFUSED_SEGMENTS.has(segment))) throw new FieldNameError(name)
  const last = path.pop()!
  let target = fields
  for (const segment of path) {
    if (!Object.hasOwn(target, segment)) target[segment] = {}
    const inner = target[segment]
    if (!isFields(inner)) throw new FieldNameError(name)
    target = inner
  }
  // Not `in`: an object inherits members such as toString.
  const present = Object.hasOwn(target, last) ? target[last] : undefined
  if (isList ? present !== undefined && !Array.isArray(present) : Array.isArray(present) || isFields(present))
    throw new FieldNameError(name)
  if (!isList) target[last] = value
  else if (present) (present as FormDataEntryValue[]).push(value)
  else target[last] = [value]
}

const isFields = (value: Fields[string] | undefined): value is Fields =>
  typeof value === 'object' && !Array.isArray(value) && !(value instanceof Blob)

/** Key of errors that belong to no field. */
const FORM_ERROR = 'form'

/** Returns the first message for each field: `address.city`, `tags` for the list and its entries, `form` for the rest. */
export function toErrors(issues: readonly StandardSchemaV1.Issue[]): Record<string, string> {
  const errors = new Map<string, string>()
  for (const { path = [], message } of issues) {
    const keys = path.map((segment) => (typeof segment === 'object' ? segment.key : segment))
    const index = keys.findIndex((key) => typeof key === 'number')
    const name = (index < 0 ? keys : keys.slice(0, index)).join('.') || FORM_ERROR
    if (!errors.has(name)) errors.set(name, message)
  }
  return Object.fromEntries(errors)
}

/** Result of {@link checkForm}: the values, or a message by field name. */
export type FormCheck<Schema extends StandardSchemaV1> =
  | { values: StandardSchemaV1.InferOutput<Schema>; errors?: undefined }
  | { values?: undefined; errors: Record<string, string> }

/**
 * Validates a form with a Standard Schema, as {@link withSchema} does for an action: in the browser before a form is
 * sent, or in a route.
 * @throws FieldNameError, and errors of the schema
 */
export async function checkForm<Schema extends StandardSchemaV1>(
  schema: Schema,
  form: FormData | HTMLFormElement
): Promise<FormCheck<Schema>> {
  const data = form instanceof FormData ? form : new FormData(form)
  const result = await schema['~standard'].validate(toFields(data))
  return result.issues ? { errors: toErrors(result.issues) } : { values: result.value }
}
