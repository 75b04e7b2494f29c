import { normalizePath, type Plugin } from 'vite'
import { CHANGE_EVENT } from '../common/constants.ts'

/**
 * In development, tells open tabs that a file in the client folder has changed, after Vite has updated its own modules:
 * the server's half of a page, such as `getData`, is not among the modules that Vite updates in the browser.
 * @param root the client folder
 */
export function changePlugin(root: string): Plugin {
  const folder = `${normalizePath(root)}/`
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
      if (file.startsWith(folder)) changed = true
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
