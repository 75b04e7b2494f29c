import Fastify, { type FastifyServerOptions } from 'fastify'
import type { DestinationStream } from 'pino'
import { createTrust } from '../http/trust.ts'
import { rewriteUrl } from '../plugins/url-guard.ts'
import { createLogger, createRequestId, type LoggerSettings, QuietController } from './logger.ts'
import { createRequire } from 'node:module'

export interface FastifyOptions extends LoggerSettings {
  /** Addresses of proxies whose X-Forwarded-* headers are trusted. */
  trustProxy: Parameters<typeof createTrust>[0]
  /** Largest request body in bytes, except for the tunnel. */
  bodyLimit: number
  /** Milliseconds until an unfinished page is cancelled; idle connections are closed a minute later. */
  renderTimeout: number
  /** Stream for log lines. @default standard output */
  logStream?: DestinationStream
}

/** Milliseconds in which a request must arrive whole: Node's own value, which Fastify turns off; its headers have one minute of them. */
const REQUEST_TIMEOUT = 300_000

/**
 * Milliseconds a plugin may take to start; then the start ends with an error that names it. A guess: Fastify's ten
 * seconds are too few for Vite on a busy machine.
 */
const START_TIMEOUT = 120_000

/** Milliseconds after RENDER_TIMEOUT without a byte, after which a connection is closed. A guess. */
const IDLE_TIMEOUT = 60_000

/** Creates a Fastify instance with the logger, request ids and limits that the plugins of this package expect. */
export function createFastify({ logStream, trustProxy, bodyLimit, renderTimeout, ...logging }: FastifyOptions) {
  const trust = createTrust(trustProxy)
  return Fastify({
    loggerInstance: createLogger(logging, logStream),
    logController: new QuietController(),
    genReqId: createRequestId(trust),
    trustProxy: trust,
    pluginTimeout: START_TIMEOUT,
    bodyLimit,
    requestTimeout: REQUEST_TIMEOUT,
    connectionTimeout: renderTimeout + IDLE_TIMEOUT,
    rewriteUrl,
    schemaController: { compilersFactory: schemaCompilers },
    // The shell's own matcher limits parameters; the router must not refuse them first.
    routerOptions: { maxParamLength: 64 * 1024 }
  })
}

const require = createRequire(import.meta.url)

type CompilersFactory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>

/** Fastify's own compilers, loaded by the first route that has a schema: a start without one is the shorter for it. */
const schemaCompilers = {
  buildValidator: lazily('@fastify/ajv-compiler'),
  buildSerializer: lazily('@fastify/fast-json-stringify-compiler')
} as CompilersFactory

/** A factory of compilers from the package that makes it, asked for when it is first called. */
function lazily(name: string) {
  return (...args: unknown[]): unknown => {
    const select = require(name) as () => (...args: unknown[]) => unknown
    return select()(...args)
  }
}
