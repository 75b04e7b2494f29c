import type { StandardSchemaV1 } from '@standard-schema/spec'
import { FieldNameError, toErrors, toFields } from '../client/forms/form-fields.ts'
import type { Invalid } from '../client/contracts/form.ts'
import type { Schemas } from '../client/forms/with-schema.ts'
import { FieldName, PageInvalid, SchemaFailed, SearchInvalid } from '../errors.ts'
import { toValues } from '../http/form.ts'
import { Outcome } from '@hull/common/outcomes.ts'
import { isInvalid } from './check-page.ts'
import type { PageContext } from './page-context.ts'

type Part = keyof Schemas

interface RunOptions {
  /** File of the page, for messages. */
  file: string
  schemas: Schemas
  handler: (ctx: never) => unknown
}

/**
 * Validates a page's input and runs its function with the validated values.
 * @returns the function's result, or the errors of the form
 * @throws Outcome 404 for params, SearchInvalid, FieldName, SchemaFailed
 */
export async function runWithSchema(ctx: PageContext, { file, schemas, handler }: RunOptions): Promise<unknown> {
  const checked: Record<string, unknown> = {}
  ctx.hasActed = false
  if (schemas.params) {
    const { issues, value } = await check('params', { ...ctx.params })
    if (issues) throw new Outcome(404)
    checked.params = value
  }
  if (schemas.search) Object.assign(checked, await checkSearch())
  if (!schemas.form) return handle(checked)

  const { issues, value } = await check('form', readFields(ctx.form))
  const values = toValues(ctx.form, { lists: true })
  if (issues) return { kind: 'invalid', errors: toErrors(issues), values } satisfies Invalid
  const result = await handle({ ...checked, values: value })
  return isInvalid(result) ? { ...result, values } : result

  function handle(members: Record<string, unknown>): unknown {
    ctx.hasActed = true
    return handler(withMembers(ctx, members))
  }

  /** Leaves out the values that the schema refuses, so that its defaults apply. */
  async function checkSearch() {
    const fields = readFields(ctx.search)
    const first = await check('search', fields)
    if (!first.issues) return { search: first.value, searchErrors: {} }
    const searchErrors = toErrors(first.issues)
    for (const name of Object.keys(searchErrors)) delete fields[name.split('.', 1)[0]!]
    const second = await check('search', fields)
    if (second.issues) throw new SearchInvalid(Object.keys(toErrors(second.issues)).join(', '))
    return { search: second.value, searchErrors }
  }

  async function check(
    part: Part,
    input: unknown
  ): Promise<{ issues?: readonly StandardSchemaV1.Issue[]; value?: unknown }> {
    const standard = schemas[part]?.['~standard']
    if (typeof standard?.validate !== 'function')
      throw new PageInvalid(file, `withSchema() takes a Standard Schema as "${part}"`)
    try {
      return await standard.validate(input)
    } catch (cause) {
      throw new SchemaFailed(file, standard.vendor, part, { cause })
    }
  }
}

/** @throws FieldName */
function readFields(entries: Iterable<[string, FormDataEntryValue]>) {
  try {
    return toFields(entries)
  } catch (error) {
    throw error instanceof FieldNameError ? new FieldName(`"${error.message.slice(0, MAX_NAME)}"`) : error
  }
}

/** Characters of a refused name in the answer. */
const MAX_NAME = 50

/** Adds members to a context. Its own members need the context itself as `this`, because it has private fields. */
function withMembers(ctx: PageContext, members: Record<string, unknown>): never {
  return new Proxy(ctx, {
    get(target, key): unknown {
      if (Object.hasOwn(members, key)) return Reflect.get(members, key)
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
    has: (target, key) => Object.hasOwn(members, key) || Reflect.has(target, key),
    set: (target, key, value) => Reflect.set(target, key, value)
  }) as never
}
