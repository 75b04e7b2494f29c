import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { createDigest } from '../lib/digest.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Reports an unexpected error: one log line and one event, however often it is reported; none when the visitor has left.
     * @returns the digest under which a visitor's page, the log line and any later record of the error agree
     */
    reportError: (error: unknown) => string
  }
  interface FastifyContextConfig {
    /** Errors of the route are logged, and not sent: it is what errors are sent by. */
    unreported?: boolean
  }
}

/** Gives every unexpected error its digest, its one log line, and its event where such are sent. */
export default fp(
  async function errorReport(app) {
    const digests = new WeakMap<object, string>()

    app.decorateRequest('reportError', function reportError(this: FastifyRequest, error: unknown): string {
      // Whatever waited for the visitor ends with this, and nobody is there to be told a digest.
      if ((error as { statusCode?: number } | null | undefined)?.statusCode === 499) return ''
      const key = typeof error === 'object' && error !== null ? error : undefined
      const known = key && digests.get(key)
      if (known) return known
      const digest = createDigest()
      if (key) digests.set(key, digest)
      const err = error instanceof Error ? error : new Error(`${typeof error} thrown: ${describe(error)}`)
      this.log.error({ err, digest }, 'request failed')
      if (!this.routeOptions.config.unreported) app.telemetry?.captureError({ error: err, digest, request: this })
      return digest
    })
  },
  { name: 'error-report', fastify: '5.x' }
)

function describe(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return Object.prototype.toString.call(value)
  }
}
