import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ActionCtx, Ctx } from '../contracts/context.ts'
import type { Invalid } from '../contracts/form.ts'

/** Standard Schemas (https://standardschema.dev) of zod, valibot, arktype and others. */
export interface Schemas {
  /** Path parameters. If it refuses them, the page is 404. */
  params?: StandardSchemaV1
  /**
   * Query, by the rules for fields of a form. A value that it refuses counts as missing, and is named in
   * `ctx.searchErrors`. If it then still refuses, the page is 400 APP_SEARCH_INVALID.
   */
  search?: StandardSchemaV1
  /** Posted form, for `action`. If it refuses the fields, the page is shown again with the errors and status 422. */
  form?: StandardSchemaV1
}

type Output<Schema, Otherwise> = Schema extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<Schema> : Otherwise
type Input<Schema, Otherwise> = Schema extends StandardSchemaV1 ? StandardSchemaV1.InferInput<Schema> : Otherwise
type MemberOf<S, Name extends keyof Schemas> = S extends Record<Name, infer Schema> ? Schema : undefined
type BaseCtx<S> = S extends { form: StandardSchemaV1 } ? ActionCtx<any> : Ctx<any>

/** Context of a function of {@link withSchema}, with validated values. */
export type SchemaCtx<S extends Schemas> = Omit<BaseCtx<S>, 'params' | 'search'> & {
  params: Output<MemberOf<S, 'params'>, any>
  /** Validated query; without a schema, the URLSearchParams. */
  search: Output<MemberOf<S, 'search'>, URLSearchParams>
} & (S extends { search: StandardSchemaV1 }
    ? {
        /** Message for each value of the query that was refused and left out. @default {} */
        searchErrors: Readonly<Partial<Record<FieldName<Input<MemberOf<S, 'search'>, never>>, string>>>
      }
    : unknown) &
  (S extends { form: StandardSchemaV1 }
    ? {
        /** Validated values of the form. */
        values: Output<S['form'], never>
      }
    : unknown)

/** Context that the page must have for the schemas. A page with other parameters does not satisfy the type checker. */
type RawCtx<S> = Omit<BaseCtx<S>, 'params'> & { params: Input<MemberOf<S, 'params'>, any> }

type Leaf = string | number | boolean | bigint | symbol | Date | Blob | null | undefined | readonly unknown[]
type IsAny<T> = 0 extends 1 & T ? true : false

/** Names of the fields of a schema's input: `email`, `address.city`. */
export type FieldName<T> =
  IsAny<T> extends true
    ? string
    : T extends Leaf
      ? never
      : {
          [K in keyof T & string]-?: K | `${K}.${FieldName<NonNullable<T[K]>>}`
        }[keyof T & string]

type ValueOf<T, Name extends string> = Name extends keyof T
  ? NonNullable<T[Name]> extends readonly unknown[]
    ? string[]
    : string
  : Name extends `${infer Head}.${infer Tail}`
    ? Head extends keyof T
      ? ValueOf<NonNullable<T[Head]>, Tail>
      : string
    : string

/** Posted text by field name, for the schema's input. */
export type FieldValues<T> = { [Name in FieldName<T>]?: ValueOf<T, Name> }

type ErrorName<R> = R extends Invalid<infer Errors> ? keyof Errors & string : never

/** Resolved value of a function of {@link withSchema}. */
type Checked<S, R> = S extends { form: StandardSchemaV1 }
  ?
      | Exclude<R, Invalid>
      | Invalid<
          Record<FieldName<Input<S['form'], never>> | 'form' | ErrorName<Extract<R, Invalid>>, string>,
          FieldValues<Input<S['form'], never>>
        >
  : R

/** Validates and runs; the context of each page on the server. */
export interface SchemaRunner {
  withSchema: (schemas: Schemas, handler: (ctx: never) => unknown) => Promise<unknown>
}

/**
 * Validates the input of `action`, `getData` or `guard` before it runs.
 *
 * ```ts
 * export const action = withSchema({ form: Feedback }, async ({ values }) => { await save(values.text) })
 * ```
 * @throws SchemaFailed APP_SCHEMA_FAILED (500) if a schema throws
 */
export function withSchema<const S extends Schemas, R>(
  schemas: S,
  handler: (ctx: SchemaCtx<S>) => R
): (ctx: RawCtx<S>) => Promise<Checked<S, Awaited<R>>> {
  return (ctx) => (ctx as unknown as SchemaRunner).withSchema(schemas, handler) as Promise<Checked<S, Awaited<R>>>
}
