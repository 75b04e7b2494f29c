import type { IncomingMessage, Server, ServerResponse } from 'node:http'
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
}

/** WebSocket protocols of Vite's client. */
const VITE_PROTOCOLS = new Set(['vite-hmr', 'vite-ping'])

/**
 * Starts Vite. If a page cannot be loaded, the process continues: every request shows the error until the file is
 * corrected.
 * @throws errors in Vite's own configuration
 */
export async function startVite(
  app: FastifyInstance,
  { root, renderer, state }: { root: string; renderer: Renderer; state: RendererState }
): Promise<void> {
  await app.register(fastifyVite, { root, dev: true, renderer } as unknown as Parameters<typeof fastifyVite>[1])
  const { vite } = app as FastifyInstance & { vite: ViteDecoration }
  const others = app.server.listeners('upgrade')
  try {
    await vite.ready()
  } catch (error) {
    if (vite.entries === undefined) throw error
    state.site = createSite({ pages: {}, layouts: {} } as unknown as ClientEntry)
    app.log.error({ err: error }, 'the pages cannot be loaded: correct the file, the server reads it again')
  }
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
    if (event !== 'upgrade' || !isForVite(args[0] as IncomingMessage)) return emit(event, ...args)
    for (const listener of upgradeListeners) listener.apply(server, args)
    return true
  }
}

const isForVite = ({ headers }: IncomingMessage) => VITE_PROTOCOLS.has(headers['sec-websocket-protocol'] ?? '')
