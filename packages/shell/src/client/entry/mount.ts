// $app/mount.ts, the browser's entry: hydrates the document that the server rendered.
// Fast Refresh, before any component; empty in a build. Its own inline module would run after this one in a stream.
import '@vitejs/plugin-react/preamble'
import startBrowser from 'hull:browser'
import { createElement } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { CHANGE_EVENT } from '@hull/common/constants.ts'
import { findNonce } from '../../routing/nonce.ts'
import { PAYLOAD_ID, type Codec } from '../../routing/payload.ts'
import { Root } from './root.tsx'
import { browserShell } from '../browser-shell.ts'
import { receiveDeferredValues } from '../deferred-values.ts'
import { loadView } from '../modules.ts'
import { decodePayload } from '../payload.ts'
import { ROOT_OPTIONS } from '../root-options.ts'
import { createNavigator } from '../navigator.ts'

const source = document.getElementById(PAYLOAD_ID)
const root = document.getElementById('root')

startBrowser?.(browserShell)
shareNonce()
if (source && root) void hydrate(source, root)

// Not awaited at the top of the module: the pages' chunks import this one, and would wait for it while it waits for them.
async function hydrate({ textContent, dataset }: HTMLElement, container: HTMLElement) {
  const late = receiveDeferredValues()
  const payload = decodePayload(textContent, dataset.codec as Codec, late.values)
  if (payload.deadline !== undefined) late.watch(payload.deadline)
  const view = await loadView(payload, location.search)
  const viewer = createNavigator({ view, late: late.values, size: textContent.length })
  // In development: the server's half of the page may be another one.
  import.meta.hot?.on(CHANGE_EVENT, viewer.reload)
  hydrateRoot(container, createElement(Root, { initial: view, viewer }), ROOT_OPTIONS)
}

/** Where libraries that add style elements look for the nonce by themselves: styled-components, what Radix uses. */
function shareNonce() {
  const nonce = findNonce()
  if (nonce !== undefined) Object.assign(globalThis, { __webpack_nonce__: nonce })
}
