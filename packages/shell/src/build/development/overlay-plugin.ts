import { join } from 'node:path'
import type { Plugin } from 'vite'
import { BROWSER_ERROR_EVENT, CHANGE_EVENT, OVERLAY_EVENT, SERVER_ERROR_EVENT } from '@hull/common/constants.ts'
import { appendToViteClient } from './vite-client.ts'

/**
 * In development, sends errors of the browser to the server, which finds their places in the sources
 * (packages/shell/src/server/dev-errors.ts), and shows the result in the overlay of Vite.
 */
export function overlayPlugin(root: string): Plugin {
  const code = REPORT_ERRORS.replace('PROJECT', () => JSON.stringify(join(root, '/')))
  return {
    name: 'hull-overlay',
    apply: 'serve',
    // The server prints these errors. Vite would turn its own output on if an assistant started the process.
    config: ({ server }) => ({ server: { forwardConsole: server?.forwardConsole ?? false } }),
    transform: appendToViteClient(code)
  }
}

/** The overlay has absolute paths in links that only a mouse can reach: the code changes both. */
const REPORT_ERRORS = `
const hullErrors = createHotContext('/hull-errors')
const hullReported = new WeakSet()
let hullOverlay
addEventListener('error', ({ error }) => hullReport(error))
addEventListener('unhandledrejection', ({ reason }) => hullReport(reason))
addEventListener('${BROWSER_ERROR_EVENT}', ({ detail }) => hullReport(detail.error, detail.componentStack))
function hullReport(error, componentStack) {
  // Some events, such as those of ResizeObserver, have no error.
  if (error === null || error === undefined) return
  if (hullReported.has(error)) return
  if (Object(error) === error) hullReported.add(error)
  hullErrors.send('${BROWSER_ERROR_EVENT}', { error: hullDescribe(error), componentStack, pathname: location.pathname })
}
const hullDigests = new Set()
addEventListener('${SERVER_ERROR_EVENT}', ({ detail }) => {
  if (hullDigests.has(detail)) return
  hullDigests.add(detail)
  hullErrors.send('${SERVER_ERROR_EVENT}', detail)
})
function hullDescribe(error, depth = 0) {
  if (Object(error) !== error || error.stack === undefined) return String(error)
  const { name, message, stack, cause } = error
  return { name, message, stack, ...(cause !== undefined && depth < 5 && { cause: hullDescribe(cause, depth + 1) }) }
}
// Vite reloads a tab with an overlay at its first update: for its own overlay, the tab's modules could not be loaded.
for (const name of ['vite:beforeUpdate', '${CHANGE_EVENT}']) hullErrors.on(name, () => hullOverlay?.close())
hullErrors.on('${OVERLAY_EVENT}', (error) => {
  // Vite's own overlay shows why a module could not be loaded: the browser's error has only its address.
  if (!enableOverlay || (hasErrorOverlay() && !hullOverlay?.isConnected)) return
  createErrorOverlay(error)
  hullOverlay = document.querySelector(overlayId)
  // Vite removes the spaces before the first line.
  if (error.frame) hullOverlay.root.querySelector('.frame').textContent = error.frame.trimEnd()
  for (const link of hullOverlay.root.querySelectorAll('.file-link')) {
    link.href = '/__open-in-editor?file=' + encodeURIComponent(link.textContent)
    link.textContent = link.textContent.replace(PROJECT, '')
    link.style.color = 'inherit'
    link.onclick = (event) => {
      event.preventDefault()
      void fetch(link.href)
    }
  }
})
`
