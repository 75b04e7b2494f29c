import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Broadcast } from '@hull/common/broadcast.ts'
import {
  BULKY,
  createAnswers,
  type EnvelopeMeta,
  type IncomingBody,
  isBulky,
  storeEnvelope,
  toEnvelopeRoute
} from '@hull/monitoring'
import { MonitoringMethod, parseDsn, type DsnTarget } from '@hull/monitoring/envelope'
import { InboxAuthMismatch, InboxAuthMissing, InboxKeyTooMany, InboxKeyUnknown } from '../errors.ts'
import { plainAddress } from '@hull/common/http/network.ts'
import { searchOf } from '@hull/common/http/request.ts'
import { createRateLimiter } from '@hull/common/http/rate-limiter.ts'
import { INBOX_DSN, toProjectDsn } from '../addresses.ts'
import { readClientKey } from '../ingest/http/client-key.ts'
import { Refusals } from '../ingest/http/refusals.ts'
import { createSingleItemIntake } from '../ingest/http/single-item.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Envelopes of other services that were refused. */
    inboxRefusals: Refusals
  }
}

export interface InboxIntakeOptions {
  /** Receives accepted envelopes. */
  inbox: NonNullable<FastifyInstance['inbox']>
  /**
   * Envelopes per minute and DSN key, from all addresses together, a third of them in one burst; 0 disables the limit.
   * Above it, transactions and other bulky envelopes are refused, and errors use a reserve of {@link RESERVE} times the
   * rate.
   * @default 6_000
   */
  keyRate?: number
  /** Counts the envelopes of a key at all replicas together. @default one replica */
  broadcast?: Broadcast
}

/** Reserve of a key for its errors after its rate is used up, as a multiple of the rate. A guess. */
const RESERVE = 3

type Request = FastifyRequest<{ Params: { project: string; slug?: string; key?: string } }>
type Take = (arrival: IncomingBody, request: Request, reply: FastifyReply) => Promise<EnvelopeMeta>

/** Pages of any origin may send. The routes use no cookies. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Sentry-Error, X-Sentry-Rate-Limits, Retry-After'
}
const PREFLIGHT = {
  'access-control-allow-headers':
    'X-Sentry-Auth, Authorization, Content-Type, Content-Encoding, Accept, X-Requested-With, sentry-trace, baggage, traceparent, tracestate',
  // A day; browsers reduce it to two hours or less.
  'access-control-max-age': '86400'
}

/**
 * /api/<project>/envelope/ and /store/: accepts envelopes and events from the SDKs of other services, with the DSN of a
 * project. /api/<project>/cron/<monitor>/<key>/: accepts check-ins of jobs without an SDK.
 */
export default fp<InboxIntakeOptions>(
  async function inboxIntake(app, { inbox, keyRate = 6_000, broadcast }) {
    const { sink } = inbox
    const refusals = new Refusals()
    app.decorate('inboxRefusals', refusals)
    const { admit, answer, refuse } = createAnswers({
      sink,
      envelopes: app.metrics.counter({
        name: 'inbox_envelopes_total',
        help: 'Envelopes sent to the inbox by SDKs of other services, by outcome and error code.',
        labelNames: ['outcome', 'code']
      }),
      onRefused(error, request) {
        // Somebody has opened the address.
        if (error instanceof MonitoringMethod) return
        const { code, message } = error
        refusals.add({ project: Number((request as Request).params.project), code, message, at: Date.now() })
      }
    })
    const takeKeyToken = createRateLimiter({
      perMinute: keyRate,
      replicas: broadcast && { broadcast, name: 'inbox-keys' }
    })
    const takeReserve = createRateLimiter({
      perMinute: RESERVE * keyRate,
      replicas: broadcast && { broadcast, name: 'inbox-key-reserves' }
    })
    const { acceptEvent, acceptCheckIn } = createSingleItemIntake(sink)
    /** Replies to senders that exceed their rate. */
    const overRate = new WeakSet<FastifyReply>()

    addRoutes('envelope', (arrival, request, reply) =>
      storeEnvelope(arrival, {
        sink,
        findTarget(dsn) {
          const target = findTarget(request, dsn)
          if (keyOf(request) === undefined) admitKey(target, reply)
          return target
        },
        admit: (categories) => admitCategories(categories, reply)
      })
    )
    addRoutes('store', (arrival, request, reply) => acceptEvent(arrival, toItemTarget(request, reply)))
    for (const path of ['cron/:slug', 'cron/:slug/:key(^\\w{1,64}$)']) addRoutes(path, takeCheckIn, ['GET', 'POST'])

    /** One route for all methods: a route for each would take more of the start, and more memory. */
    function addRoutes(path: string, take: Take, methods = ['POST']) {
      const onRequest = receiveBy(take, methods)
      // Digits only: other paths below `/api/` belong to the application.
      for (const url of [`/api/:project(^\\d{1,15}$)/${path}`, `/api/:project(^\\d{1,15}$)/${path}/`])
        app.route({ ...toEnvelopeRoute(app), method: app.supportedMethods, url, onRequest })
    }

    function takeCheckIn(arrival: IncomingBody, request: Request, reply: FastifyReply): Promise<EnvelopeMeta> {
      const query = new URLSearchParams(searchOf(request.url))
      return acceptCheckIn(arrival, toItemTarget(request, reply), request.params.slug!, query)
    }

    const toItemTarget = (request: Request, reply: FastifyReply) => ({
      ...findTarget(request, undefined),
      admit: (categories: readonly string[]) => admitCategories(categories, reply)
    })

    /** Returns a hook that sends the reply itself and never calls `done`, so that Fastify does not parse the body. */
    function receiveBy(take: Take, methods: string[]) {
      const allowed = [...methods, 'OPTIONS'].join(', ')
      return function receiveEnvelope(request: FastifyRequest, reply: FastifyReply): void {
        reply.headers(CORS)
        if (request.method === 'OPTIONS') {
          reply.code(204).headers(PREFLIGHT).header('access-control-allow-methods', allowed).send()
        } else if (methods.includes(request.method)) {
          answer(receive(request as Request, reply, take), request, reply)
        } else {
          reply.header('allow', allowed)
          refuse(new MonitoringMethod(methods.join(' and '), request.method), request, reply)
        }
      }
    }

    async function receive(request: Request, reply: FastifyReply, take: Take): Promise<EnvelopeMeta> {
      const decoder = admit(request, reply)
      await inbox.open?.()
      // Checks the rate before the body is read, if the request itself contains the key.
      if (keyOf(request) !== undefined) admitKey(findTarget(request, undefined), reply)
      return take({ body: request.raw, decoder, clientAddress: addressOf(request) }, request, reply)
    }

    /**
     * Returns the target of the request's key, or else of the DSN in the envelope's header. If both are present, they
     * must agree.
     * @throws InboxAuthMissing
     * @throws InboxKeyUnknown
     * @throws InboxAuthMismatch
     */
    function findTarget(request: Request, text: string | undefined): DsnTarget {
      const dsn = text === undefined ? undefined : parseDsn(text)
      if (text !== undefined && dsn === undefined) throw new InboxAuthMissing()
      const key = keyOf(request) ?? dsn?.publicKey
      if (key === undefined) throw new InboxAuthMissing()
      const { project: id } = request.params
      if (dsn && (dsn.publicKey !== key || Number(dsn.project) !== Number(id))) throw new InboxAuthMismatch()
      const project = inbox.findProject(key)
      if (project?.id !== Number(id)) throw new InboxKeyUnknown()
      return { dsn: toProjectDsn(key, project.id), provider: INBOX_DSN }
    }

    /** Limits the rate of a key, so that one service cannot fill the inbox's queue. @throws InboxKeyTooMany */
    function admitKey({ dsn }: DsnTarget, reply: FastifyReply): void {
      const seconds = Math.ceil(takeKeyToken(dsn) / 1_000)
      if (seconds === 0) return
      const wait = Math.ceil(takeReserve(dsn) / 1_000)
      if (wait === 0) {
        overRate.add(reply)
        // SDKs obey this header in any reply.
        reply.header('x-sentry-rate-limits', `${seconds}:${BULKY.join(';')}:key`)
        return
      }
      reply.header('retry-after', wait).header('x-sentry-rate-limits', `${wait}::key`)
      throw new InboxKeyTooMany()
    }

    /** Refuses bulky envelopes if the key exceeds its rate. @throws InboxKeyTooMany */
    function admitCategories(categories: readonly string[], reply: FastifyReply): void {
      if (overRate.has(reply) && isBulky(categories)) throw new InboxKeyTooMany()
    }
  },
  { name: 'inbox-intake', fastify: '5.x', dependencies: ['health', 'inbox'] }
)

const keyOf = ({ params, headers, url }: Request) =>
  params.key ?? readClientKey(headers, new URLSearchParams(searchOf(url)))

/**
 * Returns the address of the client. An application that passes on envelopes, such as one with a tunnel, says whose they
 * are, as to Relay. Anybody can: an event may name any address of its visitor anyway.
 */
function addressOf({ headers, ip }: FastifyRequest): string | undefined {
  const [forwarded = ''] = String(headers['x-sentry-forwarded-for'] ?? '').split(',', 1)
  return plainAddress(forwarded.trim()) ?? plainAddress(ip)
}
