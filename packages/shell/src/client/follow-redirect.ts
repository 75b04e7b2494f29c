import type { Redirect } from '@hull/common/outcomes.ts'
import { toRedirectTarget } from '@hull/common/safe-url.ts'
import { navigate } from './navigate.ts'
import { countRedirect } from './redirects.ts'
import { createRedirectLoop, createUnsafeRedirect } from './redirect-error.ts'

/**
 * Follows a redirect that a component threw in the browser.
 * @param address path and query of the page that threw it: those of the window may still be the last page's
 * @throws RedirectError when it is not followed
 */
export function followRedirect({ to, external }: Redirect, address: string): void {
  const target = toRedirectTarget(to, external)
  if (target === undefined) throw createUnsafeRedirect(to)
  const { origin, pathname, search, href } = new URL(target, location.href)
  if (origin !== location.origin) {
    countRedirect(href)
    location.replace(href)
  } else if (pathname + search === address) throw createRedirectLoop(to)
  else navigate(href, { replace: true })
}
