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
    // A change outside of the client folder restarts the server, and with it every tab reloads.
    hotUpdate({ file }) {
      if (file.startsWith(folder)) changed = true
    }
  }
}
