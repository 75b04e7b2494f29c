import { join } from 'node:path'
import Fastify from 'fastify'
import type { DestinationStream } from 'pino'
import { readBuildId } from '@hull/shell/server/build-id.ts'
import { loadConfig, publicConfig, type Config } from './config.ts'
import { MONITORING_ID } from '@hull/monitoring/browser-sdk/options.ts'
import { fetchDepth } from '@hull/shell/fetch/depth.ts'
import { createTrust } from '@hull/shell/http/trust.ts'
import { createLogger, createRequestId, QuietController } from '@hull/shell/server/logger.ts'
import { PageCache } from '@hull/shell/render/page-cache.ts'
import { createSender, toProvider, toReporting, toSink } from '@hull/monitoring/reporting.ts'
import { schemaCompilers } from '@hull/shell/server/schema-compilers.ts'
import { openSessionSecret } from '@hull/shell/config/session-secret.ts'
import { closeOnSignals } from '@hull/shell/server/shutdown.ts'
import { EARLY_ERRORS } from '@hull/monitoring/server-sdk/early-errors.ts'
import addresses, { rewriteUrl } from '@hull/shell/plugins/url-guard.ts'
import afterStart from '@hull/shell/plugins/after-start.ts'
import assets from '@hull/shell/plugins/assets.ts'
import compression from '@hull/shell/plugins/compression.ts'
import errorReport from '@hull/shell/plugins/error-report.ts'
import drain from '@hull/shell/plugins/drain.ts'
import fallbacks from '@hull/shell/plugins/fallbacks.ts'
import health from '@hull/shell/plugins/health.ts'
import hull from '@hull/shell/plugins/app-config.ts'
import inbox from '@hull/inbox/plugins/inbox.ts'
import inboxAccess from '@hull/inbox/plugins/inbox-access.ts'
import loadShedding from '@hull/shell/plugins/load-shedding.ts'
import pageFetch from '@hull/shell/plugins/page-fetch.ts'
import pages from '@hull/shell/plugins/pages/index.ts'
import replyClose from '@hull/shell/plugins/reply-close.ts'
import requestLog from '@hull/shell/plugins/request-log.ts'
import security from '@hull/shell/plugins/security.ts'
import session from '@hull/shell/plugins/session.ts'
import telemetry, { type TelemetryOptions } from '@hull/monitoring/plugins/telemetry.ts'
import tracing from '@hull/monitoring/plugins/tracing.ts'
import tunnel from '@hull/monitoring/plugins/tunnel.ts'

export interface ServerOptions {
  /** Serve from the sources, with hot reload. @default false */
  dev?: boolean
  /** The project's folder. @default the one this file is in */
  root?: string
  /** The folder a build wrote. @default `dist` in the root */
  dist?: string
  /** Where log lines go. @default standard output */
  logStream?: DestinationStream
  /** Where the link goes that lets one into the inbox at a local start. @default standard output */
  print?: (text: string) => void
  /** Where errors and spans go. @default nowhere */
  telemetryTo?: TelemetryOptions['to']
}

/** Milliseconds a request may take to arrive whole, as Node has it and Fastify does not; its headers have one minute of them. */
const REQUEST_TIMEOUT = 300_000

/**
 * Milliseconds a part of the application may take to start; then the start ends with an error that names it. A guess:
 * Fastify's ten seconds are too few for Vite on a busy machine.
 */
const START_TIMEOUT = 120_000

/** Milliseconds past RENDER_TIMEOUT in which not a byte moves: whoever does not read what was asked for is cut off. A guess. */
const SILENCE = 60_000

/** The whole application, not yet listening: `inject` renders any page. Its parts stand in the order in which they act. */
export async function buildServer(
  config: Config,
  {
    dev = false,
    root = import.meta.dirname,
    dist = join(root, 'dist'),
    logStream,
    print,
    telemetryTo
  }: ServerOptions = {}
) {
  const { baseUrl, trustProxy, signInPath, renderTimeout, fetchTimeout, metricsToken, maxEventLoopDelay } = config
  const https = baseUrl?.startsWith('https:') ?? false
  const buildId = dev ? 'dev' : readBuildId(dist)
  const trust = createTrust(trustProxy)
  const loggerInstance = createLogger({ ...config, release: config.release ?? buildId }, logStream)

  const app = Fastify({
    loggerInstance,
    logController: new QuietController(),
    genReqId: createRequestId(trust),
    trustProxy: trust,
    pluginTimeout: START_TIMEOUT,
    bodyLimit: config.bodyLimit,
    requestTimeout: REQUEST_TIMEOUT,
    connectionTimeout: renderTimeout + SILENCE,
    rewriteUrl,
    schemaController: { compilersFactory: schemaCompilers },
    // Our own matcher bounds parameters; this keeps the router's bound out of its way.
    routerOptions: { maxParamLength: 64 * 1024 }
  })
  for (const warning of config.warnings) app.log.warn(warning)
  const isInner = () => fetchDepth() > 0

  await app.register(hull, { config, publicConfig: publicConfig(config), buildId })
  const {
    environment,
    redirectOrigins,
    release = buildId,
    tracesSampleRate: sampleRate,
    traceTargets: targets,
    sendPii
  } = config
  await app.register(replyClose, { isInner })
  await app.register(afterStart)
  await app.register(inbox, {
    // With a provider outside there is none.
    settings:
      config.inbox && config.sentryDsn === undefined
        ? {
            root,
            file: join(config.dataDir, 'inbox.db'),
            maxBytes: config.inboxMaxBytes,
            retentionDays: config.inboxRetentionDays,
            mapsFolder: dev ? undefined : join(dist, 'maps'),
            release,
            environment
          }
        : undefined
  })
  const { own, providers, dsns, browser: browserMonitoring } = toReporting(config, app.inbox, release)
  const inlineScripts = browserMonitoring ? [EARLY_ERRORS] : []
  await app.register(tunnel, {
    providers,
    file: join(config.dataDir, 'spool.db'),
    maxBytes: config.spoolMaxBytes,
    maxAge: config.spoolMaxAge,
    inbox: app.inbox ? toProvider(app.inbox) : undefined
  })
  await app.register(telemetry, {
    to: telemetryTo ?? (own && { dsn: own.dsn, send: createSender(own.provider, app.inbox, app.tunnel) }),
    late: telemetryTo === undefined,
    root,
    // The inbox keeps a hash of it, as of the addresses that the tunnel tells.
    ...(app.inbox && telemetryTo === undefined && { sendAddress: true }),
    environment,
    release,
    sampleRate,
    sendPii
  })
  await app.register(tracing, { sampleRate, targets: baseUrl === undefined ? targets : [baseUrl, ...targets] })
  await app.register(security, {
    csp: config.csp,
    redirectOrigins,
    https,
    dev,
    inlineScripts
  })
  await app.register(requestLog)
  await app.register(health, { metricsToken, isInner })
  await app.register(drain)
  await app.register(addresses)
  await app.register(errorReport)
  await app.register(fallbacks, {
    redirectOrigins,
    showError: dev ? (await import('@hull/shell/server/dev-error-page.ts')).renderDevError : undefined
  })
  // While developing, the event loop compiles too.
  await app.register(loadShedding, { maxEventLoopDelay: dev ? 0 : maxEventLoopDelay, isInner })
  const secret = config.sessionSecret ?? openSessionSecret(config.dataDir, app.log)
  await app.register(session, { secret, https })
  await app.register(inboxAccess, {
    password: config.inboxPassword,
    secret,
    local: config.local,
    host: config.host,
    baseUrl,
    print
  })
  await app.register(compression)
  // What only serves a tunnel, an inbox or the lab is loaded where there is one.
  const sink = toSink(app.inbox, app.tunnel)
  if (sink) {
    const { tunnelAlias: alias, tunnelRate: rate, inboxKeyRate: keyRate } = config
    await app.register(import('@hull/monitoring/plugins/monitoring.ts'), { dsns, sink, alias, rate, baseUrl })
    await app.register(import('@hull/inbox/plugins/inbox-intake.ts'), { sink, keyRate })
  }
  await app.register(pageFetch, { timeout: fetchTimeout, baseUrl })
  if (config.lab) await app.register(import('./routes/lab.ts'))
  if (app.inbox) await app.register(import('@hull/inbox/routes.ts'), { inbox: app.inbox, baseUrl })
  if (!dev) await app.register(assets, { folder: join(dist, 'client') })
  await app.register(pages, {
    root,
    dist,
    dev,
    buildId,
    baseUrl,
    renderTimeout,
    signInPath,
    inlineScripts,
    browserData: browserMonitoring && { [MONITORING_ID]: browserMonitoring },
    cache: new PageCache({
      maxBytes: config.pageCacheBytes,
      onError: (error) => app.reportBackground(error, 'a cached page could not be rendered again')
    })
  })
  return app
}

if (import.meta.main) {
  const config = loadConfig()
  const app = await buildServer(config, { dev: process.argv.includes('--dev') })
  closeOnSignals(app, { timeout: config.shutdownTimeout })
  await app.listen({ host: config.host, port: config.port })
}
