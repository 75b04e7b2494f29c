import type { Invalid, PageModule } from '../client/contract.ts'
import type { HeadMeta } from '../routing/payload.ts'
import { PageInvalid } from '../errors.ts'

const HEAD_TEXTS = ['title', 'description', 'canonical', 'robots'] as const

const FUNCTIONS = ['guard', 'getData', 'getMeta', 'action'] as const

/** What is wrong with the values that a page or layout exports, where the build could not see it. */
export function findInvalidExport(module: Partial<PageModule>): string | undefined {
  // The server's half of a page that is rendered in the browser only has no component.
  if (module.clientOnly !== true && !isComponent(module.default))
    return `exports ${describe(module.default)} as default; it must be a component`
  for (const name of FUNCTIONS) {
    if (module[name] !== undefined && typeof module[name] !== 'function')
      return `"${name}" is ${describe(module[name])}; it must be a function`
  }
  return undefined
}

/** A function or class, or what memo, forwardRef and lazy make of one. */
const isComponent = (value: unknown): boolean =>
  typeof value === 'function' ||
  (typeof value === 'object' && value !== null && '$$typeof' in value && !('props' in value))

/**
 * What an action returned, where it refuses its input.
 * @throws PageInvalid where it is an answer of some other framework, or errors or a status that cannot be sent
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

/** @throws PageInvalid where a member of the head that is one text is something else */
export function checkHeadTexts(file: string, head: HeadMeta): void {
  for (const name of HEAD_TEXTS) {
    const value: unknown = head[name]
    if (value !== undefined && typeof value !== 'string')
      throw new PageInvalid(file, `getMeta returned ${describe(value)} as "${name}"; it must be text`)
  }
}

/** A value in a sentence. */
function describe(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value !== 'object') return value === undefined ? 'nothing' : `a ${typeof value}`
  if (Array.isArray(value)) return 'an array'
  if ('$$typeof' in value) return 'an element'
  const name: unknown = value.constructor?.name
  return typeof name === 'string' && name !== 'Object' ? `an instance of ${name}` : 'an object'
}
