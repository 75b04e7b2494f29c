import { use } from 'react'
import { findNonce } from '../routing/nonce.ts'
import { ShownView } from './route.ts'

/**
 * The nonce by which the content security policy allows style elements of this document, for libraries that write
 * styles while they run. On the server the document carries a nonce because a component asked for it: call this in a
 * layout, so that every document of it has one, whichever page a visitor opens first.
 * @returns undefined in the browser when the document carries none
 * @throws APP_PAGE_CACHE_PRIVATE on the server in a page with `cache`
 */
export function useNonce(): string | undefined {
  const view = use(ShownView)
  return view?.nonce ? view.nonce() : import.meta.env.SSR ? undefined : findNonce()
}
