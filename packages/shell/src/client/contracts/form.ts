import type { Readable } from 'node:stream'
import type { Ctx } from './context.ts'

/* Types of forms: their results and uploaded files. */

/** A file that was uploaded to a page with `uploads`. */
export interface Upload {
  /** Name of the form's field. */
  field: string
  /** Name that the visitor's file had. It may contain anything. */
  name: string
  /** Media type that the browser stated. */
  type: string
  /** Bytes. */
  size: number
  /** Temporary file; undefined with `uploads.store`. */
  path?: string
  /** Resolved value of `uploads.store`. */
  stored?: unknown
}

/** A file that is being uploaded. */
export interface IncomingFile extends Pick<Upload, 'field' | 'name' | 'type'> {
  /** Content. Ends early, and the form is refused, when the file reaches `fileBytes`. Fails if the visitor leaves. */
  stream: Readable
}

/** Streams the files of a page's form, within limits. */
export interface UploadPolicy {
  /** Maximum bytes of each file. */
  fileBytes: number
  /** @default 10 */
  files?: number
  /** Maximum text fields. Their text is limited by BODY_LIMIT. @default 100 */
  fields?: number
  /** Folder for temporary files; created if it does not exist. @default the system's */
  folder?: string
  /** Stores a file elsewhere than in a temporary file, such as in an object store. Runs after the guards. */
  store?: (file: IncomingFile, ctx: Ctx<any>) => unknown
  /** Removes a file of `store` when the form is refused or cut off before the action. */
  discard?: (upload: Upload) => unknown
}

export interface InvalidOptions {
  /** Status of the response, from 400 to 499. Any other is 500 `APP_PAGE_INVALID`. @default 422 */
  status?: number
}

/** Return value of {@link invalid}: shows the page again with the errors. */
export interface Invalid<
  Errors extends Record<string, string> = Record<string, string>,
  Values extends PostedValues = PostedValues
> extends Readonly<InvalidOptions> {
  readonly kind: 'invalid'
  readonly errors: Partial<Errors>
  /** Posted values, set by `withSchema`. @default the last value of each field */
  readonly values?: Values
}

export interface DoneOptions {
  /**
   * Page data to request again: of the shown page, of none, or of the shown page only if it has one of these addresses
   * (path and query). Unless it is `none`, the browser also discards all page data that it prefetched or kept.
   * @default 'page'
   */
  refresh?: 'page' | 'none' | string[]
}

/** Return value of `done()`. */
export interface Done<Data = unknown> extends Required<DoneOptions> {
  readonly kind: 'done'
  readonly data: Data
}

/** Posted text by field name: a list for `name[]` of a form with a schema. */
export type PostedValues = Record<string, string | string[] | undefined>

/** Errors and values of a form that its action refused. */
export interface FormState<
  Errors extends Record<string, string> = Record<string, string>,
  Values extends PostedValues = Record<string, string>
> {
  /** Message by field name. */
  errors: Partial<Errors>
  /** Posted values by field name, without fields whose names look like secrets. */
  values: Values
}

type InvalidOf<Action> = Action extends (...args: never[]) => infer R ? Extract<Awaited<R>, Invalid> : never
type DataOfDone<Result> = Result extends Done<infer Data> ? Data : never
/** Data that an action passes to `done()`. */
export type DoneOf<Action> = Action extends (...args: never[]) => infer R ? DataOfDone<Awaited<R>> : unknown
type NamesOf<Refusal> = Refusal extends Invalid<infer Errors> ? keyof Errors & string : never
type ValuesOf<Refusal> = Refusal extends Invalid
  ? string extends keyof NonNullable<Refusal['values']>
    ? Record<string, string>
    : NonNullable<Refusal['values']>
  : never
/** State of an action's form. An action that always succeeds has none, and any name may be read. */
export type FormStateOf<Action> = [InvalidOf<Action>] extends [never]
  ? FormState
  : FormState<Record<NamesOf<InvalidOf<Action>>, string>, ValuesOf<InvalidOf<Action>>>
