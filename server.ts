import { join } from 'node:path'
import {
  afterStart,
  appConfig,
  assets,
  broadcast,
  closeOnSignals,
  collectGarbage,
  compression,
  createFastify,
  crossSite,
  drain,
  errorReport,
  fallbacks,
  health,
  loadOrExit,
  loadShedding,
  PageCache,
  pageFetch,
  pages,
  readBuild,
  readSessionSecrets,
  replyClose,
  requestLog,
  routes,
  security,
  session,
  urlGuard,
  type Build
} from '@hull/shell'
import { loadConfig, publicConfig, type Config } from './config.ts'
import inbox, { applicationInboxPages } from './plugins/inbox.ts'
import monitoring, { type ApplicationMonitoringOptions } from './plugins/monitoring.ts'
import navigation from './plugins/navigation.ts'

export interface ServerOptions {
  /** Serves from the sources, with hot reload. @default false */
  dev?: boolean
  /** The project's folder. @default the folder of this file */
  root?: string
  /** The folder that a build wrote. @default `dist` in the root */
  dist?: string
  /** Destination of log lines. @default standard output */
  logStream?: NonNullable<Parameters<typeof createFastify>[0]['logStream']>
  /** Receives the sign-in link of the inbox at a local start. @default standard output */
  print?: (text: string) => void
  /** Destination of errors and spans. @default the provider of SENTRY_DSN, the inbox, or both */
  telemetryTo?: ApplicationMonitoringOptions['telemetryTo']
}

/** Development serves from the sources, at the root. */
const DEV_BUILD: Build = { id: 'dev', basePath: '' }

/**
 * Builds the whole application without listening, so that `inject` can render any page. The order of the plugins
 * matters.
 */
export async function buildServer(config: Config, options: ServerOptions = {}) {
  const { dev = false, root = import.meta.dirname, dist = join(root, 'dist'), logStream, telemetryTo } = options
  const { baseUrl, redirectOrigins, renderTimeout, signInPath } = config
  const https = baseUrl?.startsWith('https:') ?? false
  const { id: buildId, basePath, assetsUrl } = dev ? DEV_BUILD : readBuild(dist, config)
  const release = config.release ?? buildId

  const app = createFastify({ ...config, basePath, release, logStream })
  for (const warning of config.warnings) app.log.warn(warning)

  await app.register(navigation)
  await app.register(appConfig, { config, publicConfig: publicConfig(config), buildId })
  await app.register(replyClose)
  await app.register(afterStart)
  await app.register(health, { metricsToken: config.metricsToken })
  await app.register(broadcast, { databaseUrl: config.databaseUrl, redisUrl: config.redisUrl })
  await app.register(inbox, { root, mapsFolder: dev ? undefined : join(dist, 'maps'), release })
  await app.register(monitoring, { root, dist, release, basePath, telemetryTo })
  const { inlineScripts, browserData } = app
  await app.register(security, { csp: config.csp, redirectOrigins, https, dev, inlineScripts, assetsUrl })
  await app.register(requestLog)
  await app.register(drain)
  await app.register(urlGuard, { basePath })
  await app.register(crossSite, { baseUrl })
  await app.register(errorReport)
  await app.register(fallbacks, { redirectOrigins })
  // In development, compilation also blocks the event loop.
  await app.register(loadShedding, { maxEventLoopDelay: dev ? 0 : config.maxEventLoopDelay })
  const secret = readSessionSecrets(config, app.log)
  await app.register(session, { secret, https, basePath })
  await app.register(compression)
  await app.register(pageFetch, { timeout: config.fetchTimeout, baseUrl })
  await app.register(routes, { folder: join(root, 'routes') })
  await app.register(applicationInboxPages, { secret, print: options.print })
  if (!dev) await app.register(assets, { folder: join(dist, 'client'), shared: assetsUrl !== undefined })
  const cache = new PageCache({
    maxBytes: config.pageCacheBytes,
    broadcast: app.broadcast,
    onError: (error) => app.reportBackground(error, 'a cached page could not be rendered again')
  })
  const documents = { renderTimeout, signInPath, inlineScripts, browserData, cache }
  await app.register(pages, { root, dist, dev, buildId, baseUrl, ...documents })
  return app
}

if (import.meta.main) {
  const dev = process.argv.includes('--dev')
  const config = loadOrExit(() => loadConfig({ dev }))
  const app = await loadOrExit(() => buildServer(config, { dev }))
  app.afterStart(collectGarbage)
  closeOnSignals(app, { delay: config.shutdownDelay, timeout: config.shutdownTimeout })
  await app.listen({ host: config.host, port: config.port })
}
