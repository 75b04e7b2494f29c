import { RedirectLoop, RedirectOrigin, RedirectUnsafe } from '../errors.ts'
import { pathOf } from '@hull/common/http/request.ts'
import type { Redirect } from '@hull/common/outcomes.ts'
import { toRedirectTarget } from '@hull/common/safe-url.ts'

export interface RedirectRequest {
  method: string
  /** Requested path and query. */
  url: string
  /** Whether the answer sets no cookie, so that the same address would redirect again. */
  changesNothing: boolean
  /** Origins to which a form may redirect: REDIRECT_ORIGINS and the application's own. */
  formOrigins: readonly (string | undefined)[]
}

/**
 * Returns the checked target of a redirect.
 * @throws RedirectUnsafe for another origin without `external`, and for schemes other than http and https
 * @throws RedirectOrigin for an action's redirect to an origin outside of `formOrigins`, which `form-action` would
 * block
 * @throws RedirectLoop for a GET that redirects to itself without a change
 */
export function resolveRedirect(
  { to, external }: Redirect,
  { method, url, changesNothing, formOrigins }: RedirectRequest
): string {
  const target = toRedirectTarget(to, external, url)
  if (target === undefined) throw createUnsafeRedirect(to)
  if (!target.startsWith('/') && !reads(method)) {
    const { origin } = new URL(target)
    // Without the query, which may contain secrets: the message is logged.
    if (!formOrigins.includes(origin)) throw new RedirectOrigin(origin, origin)
  }
  if (method === 'GET' && target.split('#', 1)[0] === url && changesNothing) throw new RedirectLoop(pathOf(url))
  return target
}

/** Creates the error for a redirect that is not followed. Its message is logged, and a query may contain secrets. */
export const createUnsafeRedirect = (to: string): Error => new RedirectUnsafe(to.replace(/[?#].*/s, ''))

/**
 * Returns 303 after an action, which a browser follows with a GET; 308 for a permanent redirect; 302 otherwise (RFC
 * 9110 §15.4).
 * @param sameAddress the target differs by a slash or an encoding only, so the posted data must be sent there again
 */
export function redirectStatus(method: string, permanent: boolean, sameAddress = false): 302 | 303 | 308 {
  if (permanent && (reads(method) || sameAddress)) return 308
  return reads(method) ? 302 : 303
}

const reads = (method: string) => method === 'GET' || method === 'HEAD'
