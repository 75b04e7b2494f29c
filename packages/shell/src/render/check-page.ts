import type { Invalid, PageModule } from '../client/contract.ts'
import type { HeadMeta } from '../routing/payload.ts'
import { PageInvalid } from '../errors.ts'

const HEAD_TEXTS = ['title', 'description', 'canonical', 'robots'] as const

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
  return undefined
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
  if (typeof result !== 'object' || result === null || (result as Invalid).kind !== 'invalid') return undefined
  const { errors, status } = result as { errors: unknown; status?: unknown }
  if (
    typeof errors !== 'object' ||
    errors === null ||
    !Object.values(errors).every((sentence) => sentence === undefined || typeof sentence === 'string')
  )
    throw new PageInvalid(file, 'invalid(…) in action takes an object of sentences, one for each field')
  if (status !== undefined && !(Number.isInteger(status) && (status as number) >= 400 && (status as number) < 500))
    throw new PageInvalid(file, 'invalid(…) in action takes a status from 400 to 499')
  return result as Invalid
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
