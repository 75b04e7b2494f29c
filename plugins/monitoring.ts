import { join } from 'node:path'
import {
  EARLY_ERRORS,
  MONITORING_ID,
  monitoring,
  telemetry,
  toDestinations,
  toReporting,
  tracing,
  tunnel,
  type LocalReceiver,
  type TelemetryOptions
} from '@hull/monitoring'
import type {} from '@hull/shell'
import type {} from '../config.ts'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance {
    /** Stores envelopes in this process, such as the inbox, beside SENTRY_DSN if that is set. @default none */
    receiver?: LocalReceiver
    /** Scripts in every document, whose hashes the content security policy allows. */
    inlineScripts: string[]
    /** JSON data in every document, by element id. */
    browserData: Record<string, unknown> | undefined
  }
}

export interface ApplicationMonitoringOptions {
  /** The project's folder. */
  root: string
  /** The folder that a build wrote. */
  dist: string
  /** Name of the running version. */
  release: string
  /** Prefix of all addresses. */
  basePath: string
  /** Destination of errors and spans. @default the provider of SENTRY_DSN, the inbox, or both */
  telemetryTo?: TelemetryOptions['to']
}

/** Reports errors and traces of server and browser. */
export default fp<ApplicationMonitoringOptions>(
  async function applicationMonitoring(app, { root, dist, release, basePath, telemetryTo }) {
    const { receiver } = app
    const { config } = app.hull
    const { environment, tracesSampleRate: sampleRate, traceTargets: targets, baseUrl, sendPii } = config
    const { own, providers, dsns, browser } = toReporting({ ...config, release, basePath, receiver })
    app.decorate('inlineScripts', browser ? [EARLY_ERRORS] : [])
    app.decorate('browserData', browser && { [MONITORING_ID]: browser })
    await app.register(tunnel, {
      providers,
      file: join(config.dataDir, 'spool.db'),
      maxBytes: config.spoolMaxBytes,
      maxAge: config.spoolMaxAge,
      inbox: receiver?.provider
    })
    const { to, sink } = toDestinations(app, { own, receiver })
    await app.register(telemetry, {
      to: telemetryTo ?? to,
      late: telemetryTo === undefined,
      root,
      dist,
      // The inbox stores a hash of the address, as for envelopes of the tunnel. A provider must not receive it.
      ...(receiver && config.sentryDsn === undefined && telemetryTo === undefined && { sendAddress: true }),
      environment,
      release,
      sampleRate,
      sendPii
    })
    await app.register(tracing, { sampleRate, targets: baseUrl === undefined ? targets : [baseUrl, ...targets] })
    if (!sink) return
    const { tunnelAlias: alias, tunnelRate: rate } = config
    await app.register(monitoring, { dsns, sink, alias, rate, broadcast: app.broadcast, baseUrl })
  },
  { name: 'application-monitoring', fastify: '5.x', dependencies: ['hull', 'health', 'broadcast'] }
)
