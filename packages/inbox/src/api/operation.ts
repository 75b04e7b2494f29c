import type { z } from 'zod'
import type { Reach } from '../access/reach.ts'
import { InboxRequestInvalid } from '../errors.ts'
import type { FoundToken, TokenScope } from '../queries/people-types.ts'

/** Caller and store of an operation. */
export interface Caller {
  /** The part of the inbox that the token's person reaches now. */
  inbox: Reach
  token: Pick<FoundToken, 'person'>
  /** Address of the application, without a slash at the end. */
  origin: string
}

/** An operation of the API. One with a `tool` is also a tool for assistants. */
export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  summary: string
  scope: TokenScope
  /** Parameters of path, query and body together. */
  input: Input
  output: Output
  run: (caller: Caller, input: z.output<Input>) => Promise<z.input<Output>>
  tool?: {
    name: string
    /** When an assistant should use it, and for what. */
    description: string
    /** The operation's result as text. @default JSON */
    text?: (output: z.input<Output>) => string
    /** Runs instead of the operation. @returns text */
    run?: (caller: Caller, input: z.output<Input>) => Promise<string>
  }
}

/** Defines an operation whose `run` is checked against its own schemas. */
export const defineOperation = <Input extends z.ZodObject, Output extends z.ZodType>(
  operation: Operation<Input, Output>
) => operation as unknown as Operation

/** Schemas that refuse unknown parameters. Each compiles itself with its first use. */
const STRICT = new WeakMap<z.ZodObject, z.ZodObject>()

/** Returns the parameters of an operation as a schema that refuses unknown ones. */
export function toStrictInput({ input }: Operation): z.ZodObject {
  const schema = STRICT.get(input) ?? input.strict()
  STRICT.set(input, schema)
  return schema
}

/**
 * Parses the parameters of an operation.
 * @throws InboxRequestInvalid with the first wrong parameter
 */
export const parseInput = (operation: Operation, given: unknown): Record<string, unknown> =>
  parse(toStrictInput(operation), given, 'parameters')

/** @param whole name of the value in a message @throws InboxRequestInvalid with the first wrong part of it */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, whole = 'body'): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const [issue] = error.issues
  throw new InboxRequestInvalid(`${issue!.path.join('.') || whole}: ${issue!.message}`)
}
