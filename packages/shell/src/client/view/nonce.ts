import { use } from 'react'
import { findNonce } from '../../routing/nonce.ts'
import { ShownView } from './route.ts'

/**
 * Returns the nonce with which the content security policy allows style elements in this document, for libraries that
 * write styles at run time. On the server, the call gives the document a nonce. A navigation from a document without a
 * nonce loads the document of a page that calls this in its own file or in the file of a layout.
 * @returns undefined in the browser if the document has no nonce
 * @throws APP_PAGE_CACHE_PRIVATE on the server, on a page with `cache`
 */
export function useNonce(): string | undefined {
  const view = use(ShownView)
  return view?.nonce ? view.nonce() : import.meta.env.SSR ? undefined : findNonce()
}
