import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Broadcast } from '@hull/common/broadcast.ts'
import { MONITORING_PATH } from '@hull/common/constants.ts'
import { createAnswers, toEnvelopeRoute } from '../envelope/answers.ts'
import { storeEnvelope } from '../envelope/intake.ts'
import { createDsnList, type DsnTarget } from '../envelope/dsn.ts'
import { MonitoringAlias, MonitoringCrossSite, MonitoringMethod } from '../errors.ts'
import { isCrossSite, originOf } from '@hull/common/http/request.ts'
import { plainAddress } from '@hull/common/http/network.ts'
import { findMetrics } from '@hull/common/optional-decorators.ts'
import { createRateLimiter } from '@hull/common/http/rate-limiter.ts'
import type { EnvelopeMeta, StreamSink } from '../delivery/envelope-sink.ts'

export interface MonitoringOptions {
  /** DSNs whose envelopes are accepted; any other is refused with APP_MONITORING_FOREIGN_DSN. */
  dsns: ReadonlyArray<string | DsnTarget>
  /** Sink for accepted envelopes: `app.tunnel`, or the sink of the inbox. */
  sink: StreamSink
  /** Second path, for browsers whose content blockers block `/monitoring`. @default none */
  alias?: string
  /** Maximum envelopes per minute from one client address, a third of them at once; 0 means no limit. @default 600 */
  rate?: number
  /** Counts the envelopes of an address at all replicas together: `app.broadcast`. @default one replica */
  broadcast?: Broadcast
  /** Origin of the application. @default the origin of each request */
  baseUrl?: string
}

/**
 * POST /monitoring: accepts envelopes from the application's own pages, checks them while they arrive, and answers when
 * the sink has stored them. It does not wait for the provider. It counts envelopes if the server has `app.metrics`, which
 * the `health` plugin decorates and which must be registered before.
 */
export default fp<MonitoringOptions>(
  async function monitoring(app, { dsns, sink, alias, rate = 600, broadcast, baseUrl }) {
    const intake = { findTarget: createDsnList(dsns), sink }
    const { admit, answer, refuse } = createAnswers({
      sink,
      takeToken: createRateLimiter({ perMinute: rate, replicas: broadcast && { broadcast, name: 'monitoring' } }),
      envelopes: findMetrics(app)?.counter({
        name: 'monitoring_envelopes_total',
        help: 'Envelopes sent to the tunnel, by outcome and error code.',
        labelNames: ['outcome', 'code']
      })
    })
    const isTaken = (url: string) => app.supportedMethods.some((method) => app.hasRoute({ method, url }))
    if (alias !== undefined && (alias === MONITORING_PATH || isTaken(alias))) throw new MonitoringAlias(alias)

    for (const url of alias === undefined ? [MONITORING_PATH] : [MONITORING_PATH, alias])
      app.route({ ...toEnvelopeRoute(app), method: app.supportedMethods, url, onRequest: receiveEnvelope })

    /**
     * A hook that answers, so that Fastify does not check the body: any type is allowed, and our limit differs. It
     * never calls the next hook.
     */
    function receiveEnvelope(request: FastifyRequest, reply: FastifyReply): void {
      if (request.method === 'POST') return answer(receive(request, reply), request, reply)
      reply.header('allow', 'POST')
      refuse(new MonitoringMethod('POST', request.method), request, reply)
    }

    async function receive(request: FastifyRequest, reply: FastifyReply): Promise<EnvelopeMeta> {
      const { headers, raw: body, ip } = request
      if (isCrossSite(headers, originOf(request, baseUrl))) throw new MonitoringCrossSite()
      const decoder = admit(request, reply)
      return storeEnvelope({ body, decoder, clientAddress: plainAddress(ip) }, intake)
    }
  },
  { name: 'monitoring', fastify: '5.x' }
)
