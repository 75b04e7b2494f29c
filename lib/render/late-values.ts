import { isOutcome, isRedirect } from '../common/outcomes.ts'
import type { LateFailure, LateValue } from '../common/payload.ts'
import { toRedirectTarget } from '../common/safe-url.ts'
import { RedirectUnsafe } from '../errors.ts'
import type { Deadline } from './deadline.ts'
import { encodeValue } from './payload.ts'

/** Tells what went wrong in a promise of the page's data: an error is reported, and only its digest told. */
export function toLateFailure(error: unknown, report: (error: unknown) => string): LateFailure {
  if (isOutcome(error)) {
    const { statusCode: status, code, message, signInPath } = error
    return { outcome: { status, code, message, signInPath } }
  }
  if (isRedirect(error)) {
    const { to, external } = error
    return toRedirectTarget(to, external) === undefined
      ? { digest: report(new RedirectUnsafe(to)) }
      : { redirect: { to, external } }
  }
  return { digest: report(error) }
}

export interface FollowOptions {
  deadline: Deadline
  /** Reports an error and gives its digest. */
  report: (error: unknown) => string
  /** Called once for each promise, as it settles. */
  onValue: (value: LateValue) => void
}

/**
 * Follows the promises of a payload, and those inside what they resolve to.
 * @param late the promises found so far; more are added as values are encoded
 * @returns settles when all have, or the deadline has passed
 */
export async function followLate(
  late: Array<Promise<unknown>>,
  { deadline, report, onValue }: FollowOptions
): Promise<void> {
  let followed = 0
  await followNew()

  async function followNew(): Promise<void> {
    const started: Array<Promise<void>> = []
    while (followed < late.length) started.push(follow(late[followed]!, ++followed))
    await Promise.all(started)
  }

  async function follow(promise: Promise<unknown>, id: number) {
    try {
      const value = await deadline.within(promise)
      const text = encodeValue(value, late)
      // React's `use` reads a settled promise without suspending when these fields are set.
      Object.assign(promise, { status: 'fulfilled', value })
      onValue([id, true, text])
    } catch (error) {
      onValue([id, false, JSON.stringify(toLateFailure(error, report))])
    }
    await followNew()
  }
}
