import { RedirectLoop, RedirectOrigin, RedirectUnsafe } from '../errors.ts'
import type { Redirect } from '@hull/common/outcomes.ts'
import { toRedirectTarget } from '@hull/common/safe-url.ts'

export interface RedirectRequest {
  method: string
  /** Path and query asked for. */
  url: string
  /** Whether nothing the answer brings would make the same address answer otherwise. */
  changesNothing: boolean
  /** Origins that a form may lead to: REDIRECT_ORIGINS and the application's own. */
  formOrigins: readonly (string | undefined)[]
}

/**
 * Where a redirect leads, checked.
 * @throws RedirectUnsafe for another origin that was not asked for, and for anything but http and https
 * @throws RedirectOrigin for an action that leads to another origin than `formOrigins`: its `form-action` would block it
 * @throws RedirectLoop for a GET that leads to itself with nothing changed
 */
export function resolveRedirect(
  { to, external }: Redirect,
  { method, url, changesNothing, formOrigins }: RedirectRequest
): string {
  const target = toRedirectTarget(to, external)
  if (target === undefined) throw new RedirectUnsafe(to)
  if (!target.startsWith('/') && !reads(method)) {
    const { origin } = new URL(target)
    // Not the query, which may hold secrets: the message is logged.
    if (!formOrigins.includes(origin)) throw new RedirectOrigin(origin, origin)
  }
  if (method === 'GET' && target === url && changesNothing) throw new RedirectLoop(url)
  return target
}

/**
 * 303 after an action, which a browser follows by a GET; 308 for a move that may be remembered; 302 otherwise (RFC 9110
 * §15.4).
 * @param sameAddress it differs by a slash only: what was posted is meant for the other
 */
export function redirectStatus(method: string, permanent: boolean, sameAddress = false): 302 | 303 | 308 {
  if (permanent && (reads(method) || sameAddress)) return 308
  return reads(method) ? 302 : 303
}

const reads = (method: string) => method === 'GET' || method === 'HEAD'
