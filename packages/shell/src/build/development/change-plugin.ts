import { normalizePath, type Plugin } from 'vite'
import { CHANGE_EVENT } from '@hull/common/constants.ts'
import { findRoot, type PageRoot } from '../pages/roots.ts'
import { appendToViteClient } from './vite-client.ts'

/**
 * In development, notifies open tabs of a changed file in a page root, or of one that the server's half of a page
 * imports from elsewhere, such as a package of the workspace. Vite has updated its own modules before, but does not
 * update the server's half, such as `getData`, in the browser.
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
    transform: appendToViteClient(RELOAD_UNCONNECTED),
    // After a restart of the server, packages/shell/src/build/development/restart-plugin.ts notifies the tabs.
    hotUpdate({ file, modules }) {
      const isRendered = this.environment.name === 'ssr' && modules.length > 0
      if (isRendered || findRoot(roots, normalizePath(file))) changed = true
    }
  }
}

/**
 * Vite's client waits for a restarted server only if its socket has been open before. In a tab that loaded shortly
 * before a restart, this code polls the server every second until the socket is open.
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
