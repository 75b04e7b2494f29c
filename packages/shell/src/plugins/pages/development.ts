import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import fastifyVite from '@fastify/vite'
import type { FastifyInstance } from 'fastify'
import type { ViteDevServer } from 'vite'
import type { ClientEntry } from '../../client/entry/index.ts'
import type { Renderer, RendererState } from '../../render/renderer.ts'
import { createDevErrors } from '../../server/dev-errors.ts'
import { createSite } from '../../render/site.ts'
import { warnOfPlainFetch } from './plain-fetch.ts'

interface ViteDecoration {
  ready: () => Promise<void>
  devServer?: ViteDevServer
  entries?: object
  runners?: Record<string, Runner>
}

/** The part of Vite's module runner that @fastify/vite uses. */
interface Runner {
  import: (path: string) => Promise<{ default: ClientEntry }>
  close: () => Promise<void>
}

/** The pages of a server that could not load any. */
const NO_PAGES = { pages: {}, layouts: {}, routes: [] } as unknown as ClientEntry

/** WebSocket protocols of Vite's client. */
const VITE_PROTOCOLS = new Set(['vite-hmr', 'vite-ping'])

/**
 * Starts Vite. If the code that all pages need cannot be loaded, the process continues: every page shows the error until
 * the file is corrected, and other routes answer.
 * @throws errors in Vite's own configuration
 */
export async function startVite(
  app: FastifyInstance,
  { root, renderer, state }: { root: string; renderer: Renderer; state: RendererState }
): Promise<void> {
  state.site = createSite(NO_PAGES)
  const options = { root, dev: true, renderer: { ...renderer, prepareClient } }
  await app.register(fastifyVite, options as unknown as Parameters<typeof fastifyVite>[1])
  const { vite } = app as FastifyInstance & { vite: ViteDecoration }
  const others = app.server.listeners('upgrade')
  try {
    await vite.ready()
  } catch (error) {
    if (vite.entries === undefined) throw error
    state.loadError = error
  }
  if (state.loadError !== undefined)
    app.log.error({ err: state.loadError }, 'the pages cannot be loaded: correct the file, the server reads it again')
  const runners: Record<string, Runner> = vite.runners ?? {}
  for (const [name, runner] of Object.entries(runners)) runners[name] = withoutErrors(runner)
  separateVite(
    app.server,
    app.server.listeners('upgrade').filter((listener) => !others.includes(listener)),
    vite.devServer?.middlewares
  )
  warnOfPlainFetch(app, state)
  const devErrors = createDevErrors({ root, vite: vite.devServer, log: app.log })
  state.devErrors = devErrors
  app.addHook('onClose', async function endDevErrors() {
    devErrors.close()
  })
  // Before onClose, in which Vite closes its sockets: Fastify would wait for them first.
  app.addHook('preClose', async function endViteSockets() {
    for (const { socket } of vite.devServer?.ws.clients ?? []) socket.terminate()
  })

  // @fastify/vite calls these two for every request of the application, those of other routes included: after an error,
  // they return the last pages, and the routes of pages throw the error.

  async function prepareClient(entries: Parameters<Renderer['prepareClient']>[0]) {
    try {
      return await renderer.prepareClient(entries)
    } catch (error) {
      state.loadError = error
      return state.site.entry
    }
  }

  function withoutErrors(runner: Runner): Runner {
    let last: { default: ClientEntry } = { default: NO_PAGES }
    return {
      async import(path) {
        try {
          last = await runner.import(path)
          state.loadError = undefined
        } catch (error) {
          state.loadError = error
        }
        return last
      },
      close: () => runner.close()
    }
  }
}

/**
 * Hides the requests that Vite answers from the application. It would log and trace each file of a page. Some listeners
 * for upgrades, such as that of @fastify/websocket, answer every upgrade request and would write into Vite's sockets.
 */
function separateVite(
  server: Server,
  upgradeListeners: Function[],
  middlewares: ViteDevServer['middlewares'] | undefined
) {
  const emit = server.emit.bind(server) as (event: string, ...args: unknown[]) => boolean
  server.emit = function emitToOwner(event: string, ...args: unknown[]) {
    if (event === 'request' && middlewares) {
      const [request, response] = args as [IncomingMessage, ServerResponse]
      const { url } = request
      middlewares(request, response, function passOn() {
        // Also after an error of Vite: the application requests the file again, then logs and shows the error.
        request.url = url
        emit(event, ...args)
      })
      return true
    }
    if (event !== 'upgrade') return emit(event, ...args)
    const [message, socket] = args as [IncomingMessage, Duplex]
    if (!isForVite(message)) {
      if (server.listenerCount('upgrade') > upgradeListeners.length) return emit(event, ...args)
      // Node has no listener for its errors any more.
      socket.on('error', () => {}).end(NO_SOCKET, () => socket.destroy())
      return true
    }
    for (const listener of upgradeListeners) listener.apply(server, args)
    return true
  }
}

/**
 * Answer for a WebSocket that nothing accepts, such as that of a tab with another project's development server. A socket
 * without an answer would stay, and delay each restart until SHUTDOWN_TIMEOUT.
 */
const NO_SOCKET = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

const isForVite = ({ headers }: IncomingMessage) => VITE_PROTOCOLS.has(headers['sec-websocket-protocol'] ?? '')
