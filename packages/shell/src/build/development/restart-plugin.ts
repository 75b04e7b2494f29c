import { createHash, randomBytes } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin, ViteDevServer } from 'vite'
import { CHANGE_EVENT, RESTART_EVENT } from '@hull/common/constants.ts'
import { appendToViteClient } from './vite-client.ts'

export interface RestartPluginOptions {
  /** The project's folder. */
  root: string
  /** Files and folders with server code, relative to the project's folder. */
  serverOnly: readonly string[]
}

/**
 * In development, lets open tabs connect to a restarted server without a reload, so that they keep their state. A tab
 * whose code has changed since it was loaded is reloaded.
 */
export function restartPlugin({ root, serverOnly }: RestartPluginOptions): Plugin {
  const omitted = new Set([...OMITTED, ...serverOnly].map((name) => join(root, name)))
  const sendVersion = ({ environments }: Pick<ViteDevServer, 'environments'>) => {
    environments.client.hot.send(VERSION_EVENT, versionOf(root, omitted))
  }
  return {
    name: 'hull-restart',
    apply: 'serve',
    configResolved(config) {
      // Vite creates a token for each process, and refuses the sockets of tabs that have another one.
      Object.assign(config, { webSocketToken: openToken(join(root, '.hull/socket-token')) })
    },
    configureServer(server) {
      server.ws.on('connection', () => {
        sendVersion(server)
      })
      let timer: NodeJS.Timeout | undefined
      server.watcher.on('all', () => {
        clearTimeout(timer)
        timer = setTimeout(sendVersion, BATCH_INTERVAL, server).unref()
      })
    },
    transform: appendToViteClient(CONNECT_AGAIN)
  }
}

/** Milliseconds without further changes before a new version is sent. A guess. */
const BATCH_INTERVAL = 20

const VERSION_EVENT = 'hull:version'

/** Milliseconds for a tab to receive the version from the restarted server. A guess. */
const MAX_CONNECT_TIME = 5_000

/** Files and folders, besides `serverOnly`, that no browser loads. */
const OMITTED = ['config.ts', 'test', 'dist']

/** Returns a hash that changes with any source file that a browser might load. */
function versionOf(root: string, omitted: ReadonlySet<string>): string {
  const hash = createHash('sha256')
  const files = globSync('**/*.{ts,tsx,js,jsx,mjs,css,scss,sass,less,html,json,svg,png,jpg,webp,avif,woff2}', {
    cwd: root,
    withFileTypes: true,
    exclude: ({ name, parentPath }) =>
      name === 'node_modules' || name.startsWith('.') || omitted.has(join(parentPath, name))
  })
  for (const { name, parentPath } of files) {
    const path = join(parentPath, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    hash.update(`${path} ${stats?.size} ${stats?.mtimeMs}\n`)
  }
  return hash.digest('base64url')
}

/** Returns the token in a file that only its owner can read. Creates it on first use. */
function openToken(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    mkdirSync(dirname(file), { recursive: true })
    const token = randomBytes(9).toString('base64url')
    writeFileSync(file, token, { mode: 0o600 })
    return token
  }
}

/**
 * Vite's client waits for a restarted server, and then reloads the tab. It waits for the listener below first, whose
 * promise stays pending. Without the names of Vite's client that are used here, the listener fails, and Vite reloads.
 */
const CONNECT_AGAIN = `
const hullHot = createHotContext('/hull-restart')
let hullVersion
let hullIsReconnecting = false
let hullHasReconnected = false
let hullWasUpdated = false
hullHot.on('vite:afterUpdate', () => (hullWasUpdated = true))
hullHot.on('${VERSION_EVENT}', async (version) => {
  const isSame = version === hullVersion
  hullVersion = version
  // The new server has not loaded the tab's modules, and cannot replace them.
  if (hullHasReconnected && !isSame) return location.reload()
  if (!hullIsReconnecting) return
  hullIsReconnecting = false
  hullHasReconnected = true
  // Without a listener, the document has no data to request again.
  if (!isSame || !hmrClient.customListenersMap.get('${CHANGE_EVENT}')?.length) return location.reload()
  if (hullWasUpdated) await hmrClient.notifyListeners('${RESTART_EVENT}')
  await hmrClient.notifyListeners('${CHANGE_EVENT}')
})
hullHot.on('vite:ws:disconnect', async ({ webSocket }) => {
  if (willUnload || hullVersion === undefined) return
  const url = new URL(webSocket.url)
  url.search = ''
  await waitForSuccessfulPing(url.href)
  hullIsReconnecting = true
  await transport.connect(createHMRHandler(handleMessage))
  // If the socket could not be opened, Vite reloads the tab.
  await new Promise((resolve) => setTimeout(resolve, ${MAX_CONNECT_TIME}))
  if (!hullIsReconnecting) await new Promise(() => {})
})
`
