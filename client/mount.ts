// $app/mount.ts, the browser's entry: hydrates the document that the server rendered.
// Fast Refresh, before any component; empty in a build. Its own inline module would run after this one in a stream.
import '@vitejs/plugin-react/preamble'
import { createElement } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { PAYLOAD_ID, type Codec } from '../lib/common/payload.ts'
import { Root } from './root.tsx'
import { receiveLateValues } from './shell/late-values.ts'
import { loadView } from './shell/modules.ts'
import { decodePayload } from './shell/payload.ts'
import { ROOT_OPTIONS } from './shell/root-options.ts'
import { createViewer } from './shell/viewer.ts'

const source = document.getElementById(PAYLOAD_ID)
const root = document.getElementById('root')

if (source && root) {
  const late = receiveLateValues()
  const payload = decodePayload(source.textContent, source.dataset.codec as Codec, late.values)
  if (payload.deadline !== undefined) late.watch(payload.deadline)
  const view = await loadView(payload)
  hydrateRoot(root, createElement(Root, { initial: view, viewer: createViewer(view) }), ROOT_OPTIONS)
}
