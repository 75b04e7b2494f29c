import { normalizePath, type Plugin } from 'vite'
import { CHANGE_EVENT } from '@hull/common/constants.ts'
import { findRoot, type PageRoot } from './roots.ts'

/**
 * In development, tells open tabs that a file of a page root has changed, after Vite has updated its own modules:
 * the server's half of a page, such as `getData`, is not among the modules that Vite updates in the browser.
 */
export function changePlugin(roots: readonly PageRoot[]): Plugin {
  let changed = false
  return {
    name: 'hull-change',
    apply: 'serve',
    config: () => ({
      server: {
        async hotUpdateEnvironments({ environments }, update) {
          await Promise.all(Object.values(environments).map(update))
          if (changed) environments.client.hot.send(CHANGE_EVENT)
          changed = false
        }
      }
    }),
    // Appended, so that it listens before the socket can be open.
    transform: {
      filter: { id: /\/vite\/dist\/client\/client\.mjs$/ },
      handler: (code) => ({ code: `${code}\n${RELOAD_UNCONNECTED}`, map: null })
    },
    // A change outside of the client folder restarts the server, and with it every tab reloads.
    hotUpdate({ file }) {
      if (findRoot(roots, normalizePath(file))) changed = true
    }
  }
}

/**
 * Vite's client waits for a restarted server only after its socket was open once. A tab that was loaded while the server
 * was about to restart asks for itself, each second until the socket is open.
 */
const RELOAD_UNCONNECTED = `
let hullSawServerDown = false
const hullPoll = setInterval(() => {
  fetch('/', { headers: { accept: 'text/x-vite-ping' } }).then(
    () => hullSawServerDown && location.reload(),
    () => (hullSawServerDown = true)
  )
}, 1000)
createHotContext('/hull-poll').on('vite:ws:connect', () => clearInterval(hullPoll))
`
