import type { IncomingMessage, Server } from 'node:http'
import Fastify from 'fastify'
import type { DestinationStream } from 'pino'
import { createTrust } from '../http/trust.ts'
import { createRewriteUrl } from '../plugins/url-guard.ts'
import { combineChunks } from './combine-chunks.ts'
import { LateSchemas } from './late-schemas.ts'
import { recordRoutes } from './recorded-routes.ts'
import { createLogger, createRequestId, type LoggerSettings, RequestLineFilter } from './logger.ts'

export interface FastifyOptions extends LoggerSettings {
  /** Addresses of proxies whose X-Forwarded-* headers are trusted. */
  trustProxy: Parameters<typeof createTrust>[0]
  /** Maximum bytes of a request body, except for the tunnel. */
  bodyLimit: number
  /** Milliseconds until an unfinished page is cancelled. */
  renderTimeout: number
  /** Milliseconds until a connection between two requests is closed. @default a minute more than `renderTimeout` */
  keepAliveTimeout?: number | undefined
  /** Prefix of all addresses, such as `/shop`. @default none */
  basePath?: string
  /** Stream for log lines. @default standard output */
  logStream?: DestinationStream
}

/**
 * Milliseconds for a request to arrive completely, its headers within the first minute. Node's own default, which
 * Fastify disables.
 */
const REQUEST_TIMEOUT = 300_000

/**
 * Milliseconds for a plugin to start. Afterwards, the start fails with an error that names it. A guess: Fastify's ten
 * seconds are too few for Vite on a busy machine.
 */
const START_TIMEOUT = 120_000

/** Milliseconds without traffic, in addition to RENDER_TIMEOUT, after which a connection is closed. A guess. */
const SILENCE = 60_000

/** Creates a Fastify instance with the logger, request ids and limits that the plugins of this package expect. */
export function createFastify({
  logStream,
  trustProxy,
  bodyLimit,
  renderTimeout,
  keepAliveTimeout = renderTimeout + SILENCE,
  basePath = '',
  ...logging
}: FastifyOptions) {
  const trust = createTrust(trustProxy)
  const schemas = new LateSchemas()
  const app = Fastify({
    loggerInstance: createLogger(logging, logStream),
    logController: new RequestLineFilter(),
    genReqId: createRequestId(trust),
    trustProxy: trust,
    pluginTimeout: START_TIMEOUT,
    bodyLimit,
    requestTimeout: REQUEST_TIMEOUT,
    connectionTimeout: renderTimeout + SILENCE,
    // Between two requests of a connection. Fastify has 72 s of its own.
    keepAliveTimeout,
    rewriteUrl: createRewriteUrl(basePath),
    http: { shouldUpgradeCallback: isForWebSocket },
    schemaController: { compilersFactory: schemas.compilersFactory },
    // Compiling the schema of schemas takes a tenth of the start. Without it, the compiler refuses nearly the same mistakes
    // with other words; not a number out of range, an empty or duplicate entry, or a property whose schema is a number.
    ajv: { customOptions: { validateSchema: false } },
    // The shell's own matcher limits the length of parameters; the router must not refuse them first.
    routerOptions: { maxParamLength: 64 * 1024 }
  })
  schemas.compileAfterStart(app)
  recordRoutes(app)
  app.addHook('preParsing', combineChunks)
  return app
}

/**
 * Whether Node passes a request with the header `Upgrade` to what listens for WebSockets. Clients that offer HTTP/2
 * without TLS, such as Java's and curl's, send the header too, and expect the usual answer.
 */
function isForWebSocket(this: Server, { headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && this.listenerCount('upgrade') > 0
}
