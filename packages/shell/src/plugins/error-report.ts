import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type {} from '@hull/common/route-config.ts'
import { currentContext, enterRequest } from '@hull/common/async-context.ts'
import { ERRORS, type ErrorMessage } from '@hull/common/channels.ts'
import { createDigest } from '@hull/common/digest.ts'
import { createRateLimiter } from '@hull/common/http/rate-limiter.ts'
import { isClientGone } from '@hull/common/client-gone.ts'
import { findMetrics } from '@hull/common/optional-decorators.ts'
import { readProperty } from '@hull/common/read-property.ts'
import { isObject, toReadableError } from '@hull/common/readable-error.ts'

const kDigests = Symbol('digests')
const kArrivedAt = Symbol('arrived at')

declare module 'fastify' {
  interface FastifyInstance {
    /** Reports an unhandled rejection, with the request that caused it. Never throws. */
    reportRejection: (reason: unknown) => void
    /** Reports the uncaught exception that ends the process. Never throws. */
    reportFatal: (error: unknown) => void
    /**
     * Reports an unexpected error in work for no visitor.
     * @param what failed, for the log line
     */
    reportBackground: (error: unknown, what: string) => void
  }
  interface FastifyRequest {
    /**
     * Reports an unexpected error with one log line and one event, even if called repeatedly. Errors with the same
     * message and place are one: a layout that fails may fail again around the error page. Reports nothing if the visitor
     * has left.
     * @returns the digest that identifies the error on the visitor's page, in the log and in later records
     */
    reportError: (error: unknown) => string
    [kDigests]: RequestDigests | null
    /** Milliseconds on the clock of `performance.now()`; 0 before the hook of this plugin. */
    [kArrivedAt]: number
  }
}

/** The digests that a request has given. */
class RequestDigests {
  /** Errors by message and place. */
  readonly alike = new Map<string, string>()
  readonly #primitives = new Map<unknown, string>()
  /** Weak, because timers and connections can keep a request, which may have thousands of rejections. */
  readonly #objects = new WeakMap<WeakKey, string>()

  get(thrown: unknown): string | undefined {
    return isObject(thrown) ? this.#objects.get(thrown) : this.#primitives.get(thrown)
  }

  set(thrown: unknown, digest: string): void {
    if (isObject(thrown)) this.#objects.set(thrown, digest)
    else this.#primitives.set(thrown, digest)
  }
}

/** Rejections per place in the code and minute that are logged and reported; a third of them at once. A guess. */
const REJECTIONS_PER_MINUTE = 30

/** Maximum places to remember for {@link REJECTIONS_PER_MINUTE}. A guess. */
const MAX_PLACES = 1_000

/** Gives each unexpected error a digest and one log line, and publishes it on the channel `hull:error`. */
export default fp(
  async function errorReport(app) {
    const digests = new WeakMap<WeakKey, { digest: string; at: number }>()
    const rejections = findMetrics(app)?.counter({
      name: 'unhandled_rejections_total',
      help: 'Promises that were rejected and that no code waited for.'
    })
    const takeToken = createRateLimiter({ perMinute: REJECTIONS_PER_MINUTE, maxKeys: MAX_PLACES })
    /** Rejections since the last logged one. */
    let omitted = 0

    app.addHook('onRequest', function enterContext(request, _reply, done) {
      // A route for envelopes renders no page, and answers its errors itself.
      if (request.routeOptions.config.isTunnel) return done()
      request[kArrivedAt] = performance.now()
      enterRequest(request, () => {
        done()
      })
    })

    app.decorateRequest(kDigests, null)
    app.decorateRequest(kArrivedAt, 0)
    app.decorateRequest('reportError', function reportError(this: FastifyRequest, error: unknown): string {
      // Work for a visitor who has left ends with this error, and no page needs a digest.
      if (isClientGone(error)) return ''
      const err = toReadableError(error)
      const alike = `${err.message}\n${placeOf(err)}`
      const own = (this[kDigests] ??= new RequestDigests())
      const { digest, isNew } = identify(error, this, own.alike.get(alike))
      if (!isNew) return digest
      own.alike.set(alike, digest)
      this.log.error({ err, digest }, 'request failed')
      publish({ error: err, digest, request: this, where: 'request', handled: true })
      return digest
    })

    app.decorate(
      'reportRejection',
      neverThrowing(app, function reportRejection(reason) {
        if (isClientGone(reason)) return
        rejections?.inc()
        const request = currentContext()?.request as FastifyRequest | undefined
        const { digest, isNew } = identify(reason, request)
        if (!isNew) return
        const err = toReadableError(reason)
        if (takeToken(placeOf(err)) > 0) {
          omitted++
          return
        }
        const log = request?.log ?? app.log
        log.error({ err, digest, ...(omitted > 0 && { omitted }) }, 'unhandled rejection')
        omitted = 0
        publish({ error: err, digest, request, where: 'rejection', handled: false })
      })
    )

    app.decorate(
      'reportFatal',
      neverThrowing(app, function reportFatal(error) {
        const request = currentContext()?.request as FastifyRequest | undefined
        const { digest } = identify(error, request)
        const err = toReadableError(error)
        const log = request?.log ?? app.log
        log.fatal({ err, digest }, 'uncaught error: shutting down')
        publish({ error: err, digest, request, where: 'process', handled: false })
      })
    )

    app.decorate('reportBackground', function reportBackground(error, what) {
      const digest = createDigest()
      app.log.error({ err: error, digest }, what)
      publish({ error, digest, request: undefined, where: 'background', handled: true })
    })

    function publish(message: Omit<ErrorMessage, 'server'>) {
      ERRORS.publish({ server: app, ...message })
    }

    /**
     * Returns the digest of a thrown value: one per request, and one for all requests that wait for the same object. An
     * object that is kept, such as the error of a failed connection, gets another one when it fails a later request.
     * @param alike digest of an equal error of the request
     */
    function identify(
      error: unknown,
      request: FastifyRequest | undefined,
      alike?: string
    ): { digest: string; isNew: boolean } {
      const own = request && (request[kDigests] ??= new RequestDigests())
      const last = isObject(error) ? digests.get(error) : undefined
      const isEarlier = last && request && last.at < request[kArrivedAt]
      const digest = own?.get(error) ?? (isEarlier ? undefined : last?.digest) ?? alike
      if (digest !== undefined) return { digest, isNew: false }
      const created = createDigest()
      own?.set(error, created)
      if (isObject(error)) digests.set(error, { digest: created, at: performance.now() })
      return { digest: created, isNew: true }
    }
  },
  { name: 'error-report', fastify: '5.x' }
)

/** Returns the place of an error in the code: the first line of its stack below the message. */
function placeOf({ name, message, stack = '' }: Error): string {
  const [frame = ''] = stack
    .slice(stack.indexOf(message) + message.length)
    .trimStart()
    .split('\n', 1)
  return `${name} ${frame}`.slice(0, 500)
}

/** Wraps a reporter so that it never throws: an error thrown here would end the process. */
const neverThrowing =
  ({ log }: FastifyInstance, report: (error: unknown) => void) =>
  (error: unknown): void => {
    try {
      report(error)
    } catch (failure) {
      log.error({ err: failure, message: readProperty(error, 'message') }, 'an error could not be reported')
    }
  }
