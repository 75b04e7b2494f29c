// $app/mount.ts, the browser's entry: hydrates the server's document.
// Fast Refresh must load before any component; empty in a build. Its usual inline module would run after this one in a
// stream.
import '@vitejs/plugin-react/preamble'
import './older-browsers.ts'
import startBrowser from 'hull:browser'
import { digestLine, ErrorFallback, errorSentence, Forbidden, NotFound, Unauthorized } from 'hull:fallbacks'
import { entering, layouts, loadingViews, pages } from 'hull:pages'
import { createElement } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { CHANGE_EVENT, RESTART_EVENT } from '@hull/common/constants.ts'
import { findNonce } from '../../routing/nonce.ts'
import { EXPORTED, PAYLOAD_ID, type Codec } from '../../routing/payload.ts'
import { Root } from './root.tsx'
import { browserShell } from '../browser-shell.ts'
import { receiveDeferredValues } from '../page-data/deferred-values.ts'
import { startExported } from '../exported.ts'
import { setFallbacks } from '../fallbacks/fallbacks.tsx'
// Nearly every page has links: in the first script, they need no file of their own.
import '../navigation/link.tsx'
import { loadView, setPageList } from '../modules.ts'
import { decodePayload } from '../page-data/payload.ts'
import { ROOT_OPTIONS } from '../root-options.ts'
import { createNavigator } from '../navigation/navigator.ts'

// Not by the id alone: an element of the page may have the same, and comes first.
const source = document.querySelector<HTMLElement>(`script#${PAYLOAD_ID}`)
const root = document.getElementById('root')

if (!leaveCredentials()) {
  setPageList({ pages, layouts, entering, loadingViews })
  setFallbacks({ ErrorFallback, Unauthorized, Forbidden, NotFound, errorSentence, digestLine })
  startBrowser?.(browserShell)
  shareNonce()
  if (source && root) void hydrate(source, root)
}

// Not awaited at the top level: the pages' chunks import this module, so the two would wait for each other.
async function hydrate({ textContent, dataset }: HTMLElement, container: HTMLElement) {
  if (dataset[EXPORTED] !== undefined) startExported()
  const late = receiveDeferredValues()
  const payload = decodePayload(textContent, dataset.codec as Codec, late.values)
  if (payload.deadline !== undefined) late.watch(payload.deadline)
  const view = await loadView(payload, location.search).catch((error: unknown) => {
    // In development: Vite cannot update modules that were never loaded.
    import.meta.hot?.on(CHANGE_EVENT, () => {
      location.reload()
    })
    throw error
  })
  const viewer = createNavigator({ view, late: late.values, size: textContent.length })
  // In development: the server's half of the page may have changed.
  import.meta.hot?.on(CHANGE_EVENT, viewer.reload)
  // The modules of the next page might import old versions of modules that this document has loaded.
  import.meta.hot?.on(RESTART_EVENT, () => browserShell.subscribe({ allowsInPlace: () => false }))
  hydrateRoot(container, createElement(Root, { initial: view, viewer }), ROOT_OPTIONS)
}

/**
 * Loads the document again if its address has a user name or a password: in such a document, browsers refuse to fetch a
 * path, and an import has another address than the same file in the markup, so it would run twice. The browser itself
 * still sends both.
 * @returns whether the document is left
 */
function leaveCredentials(): boolean {
  const url = new URL(document.URL)
  if (!url.username && !url.password) return false
  url.username = url.password = ''
  location.replace(url)
  return true
}

/**
 * Sets the global in which libraries that add style elements look for the nonce: styled-components, and a dependency of
 * Radix.
 */
function shareNonce() {
  const nonce = findNonce()
  if (nonce !== undefined) Object.assign(globalThis, { __webpack_nonce__: nonce })
}
