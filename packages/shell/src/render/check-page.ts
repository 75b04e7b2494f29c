import type { LayoutModule, PageModule } from '../client/contracts/page.ts'
import type { Done, Invalid } from '../client/contracts/form.ts'
import type { HeadMeta } from '../routing/payload.ts'
import { LAYOUT_VIEWS } from '../routing/layout-views.ts'
import { LayoutViewInvalid, PageInvalid } from '../errors.ts'

const HEAD_TEXTS = ['title', 'description', 'canonical', 'robots'] as const

const UPLOAD_LIMITS = ['fileBytes', 'files', 'fields'] as const

const FUNCTIONS = ['guard', 'getData', 'getMeta', 'action'] as const

/** Describes the first invalid export of a page or layout, for values that the build cannot check. */
export function findInvalidExport(module: Partial<PageModule>): string | undefined {
  // The server's half of a page that only renders in the browser has no component.
  if (module.clientOnly !== true && !isComponent(module.default))
    return `exports ${describe(module.default)} as default; it must be a component`
  for (const name of FUNCTIONS) {
    if (module[name] !== undefined && typeof module[name] !== 'function')
      return `"${name}" is ${describe(module[name])}; it must be a function`
  }
  if (module.uploads === undefined) return undefined
  const limits = { files: 1, fields: 1, ...module.uploads }
  const wrong = UPLOAD_LIMITS.find((name) => !(Number.isSafeInteger(limits[name]) && limits[name] > 0))
  return wrong && `"uploads.${wrong}" must be a whole number above 0`
}

/**
 * Checks the views of a layout.
 * @throws LayoutViewInvalid
 */
export function checkLayoutViews(file: string, layout: LayoutModule): void {
  for (const name of LAYOUT_VIEWS)
    if (layout[name] !== undefined && !isComponent(layout[name]))
      throw new LayoutViewInvalid(file, name, describe(layout[name]))
}

/** True for a function or class, and for the results of memo, forwardRef and lazy. */
const isComponent = (value: unknown): boolean =>
  typeof value === 'function' ||
  (typeof value === 'object' && value !== null && '$$typeof' in value && !('props' in value))

/**
 * Returns the action's result if it refuses the input.
 * @throws PageInvalid if the result is another framework's answer, or has errors or a status that cannot be sent
 */
export function checkActionResult(file: string, result: unknown): Invalid | undefined {
  if (result instanceof Response || typeof result === 'function')
    throw new PageInvalid(
      file,
      `action returned ${describe(result)}; it returns nothing or invalid(…), or throws redirect(…)`
    )
  if (!isInvalid(result)) return undefined
  const { errors, status } = result as { errors: unknown; status?: unknown }
  if (
    typeof errors !== 'object' ||
    errors === null ||
    !Object.values(errors).every((sentence) => sentence === undefined || typeof sentence === 'string')
  )
    throw new PageInvalid(file, 'invalid(…) in action takes an object of sentences, one for each field')
  if (status !== undefined && !(Number.isInteger(status) && (status as number) >= 400 && (status as number) < 500))
    throw new PageInvalid(file, 'invalid(…) in action takes a status from 400 to 499')
  return result
}

/** Whether an action returned `invalid(…)`. */
export const isInvalid = (result: unknown): result is Invalid =>
  typeof result === 'object' && result !== null && (result as Invalid).kind === 'invalid'

/**
 * Returns the data and the refresh of `done(…)`; an action that returns anything else gives no data.
 * @throws PageInvalid if `refresh` is neither a word nor a list of addresses
 */
export function checkDone(file: string, result: unknown): Pick<Done, 'data' | 'refresh'> {
  if ((result as Done | null | undefined)?.kind !== 'done') return { data: null, refresh: 'page' }
  const { data, refresh } = result as Done
  const isList = Array.isArray(refresh) && refresh.every((path) => typeof path === 'string' && path.startsWith('/'))
  if (refresh !== 'page' && refresh !== 'none' && !isList)
    throw new PageInvalid(file, `done(…) in action takes 'page', 'none' or a list of paths as "refresh"`)
  return { data, refresh }
}

/** @throws PageInvalid if a member of the head that must be text is not */
export function checkHeadTexts(file: string, head: HeadMeta): void {
  for (const name of HEAD_TEXTS) {
    const value: unknown = head[name]
    if (value !== undefined && typeof value !== 'string')
      throw new PageInvalid(file, `getMeta returned ${describe(value)} as "${name}"; it must be text`)
  }
}

/** Describes a value in a sentence. */
function describe(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value !== 'object') return value === undefined ? 'nothing' : `a ${typeof value}`
  if (Array.isArray(value)) return 'an array'
  if ('$$typeof' in value) return 'an element'
  const name: unknown = value.constructor?.name
  return typeof name === 'string' && name !== 'Object' ? `an instance of ${name}` : 'an object'
}
