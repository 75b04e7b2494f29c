import { join } from 'node:path'
import { ConfigInvalid } from '@hull/common/errors.ts'
import { telemetry, tracing } from '@hull/monitoring'
import {
  afterStart,
  assets,
  broadcast,
  compression,
  createFastify,
  drain,
  errorReport,
  fallbacks,
  health,
  loadShedding,
  PageCache,
  pageFetch,
  pages,
  readBuild,
  readSessionSecrets,
  replyClose,
  requestLog,
  security,
  session,
  urlGuard
} from '@hull/shell'
import { INBOX_PATH } from './addresses.ts'
import type { InboxConfig } from './config.ts'
import inboxPages from './inbox-pages.ts'
import inbox from './plugins/inbox.ts'
import { hasOwnSecret, toInboxPagesOptions, toInboxSettings } from './settings.ts'

/** The package's folder. This file is in `src`, or in `dist` of the published package. */
const ROOT = join(import.meta.dirname, '..')
/** Folder of the pages, built by `npm run inbox` or when the package is packed. */
const DIST = join(ROOT, 'dist/pages')

export interface InboxServerOptions {
  /** Destination of log lines. @default standard output */
  logStream?: NonNullable<Parameters<typeof createFastify>[0]['logStream']>
  /** Receives the sign-in link at a local start. @default standard output */
  print?: (text: string) => void
  /** Folder of the built pages. @default `dist/pages` of the package */
  dist?: string
}

/**
 * Builds the standalone inbox, which does not listen yet: its pages, and the endpoints for SDKs.
 * @throws ConfigInvalid for BASE_PATH
 */
export async function buildInboxServer(
  config: InboxConfig,
  { logStream, print, dist = DIST }: InboxServerOptions = {}
) {
  const { baseUrl, redirectOrigins, renderTimeout, local, host } = config
  const https = baseUrl?.startsWith('https:') ?? false
  // Its pages are built for the root, so every link would lead outside of the prefix.
  if (config.basePath !== undefined)
    throw new ConfigInvalid(
      'BASE_PATH: expected no value, because an inbox that runs alone is at the root of its origin'
    )
  const buildId = readBuild(dist, {}, 'npm run inbox:build').id
  const release = config.release ?? buildId

  const app = createFastify({ ...config, release, logStream })
  for (const warning of config.warnings) app.log.warn(warning)
  await app.register(replyClose)
  await app.register(afterStart)
  await app.register(health, { metricsToken: config.metricsToken })
  await app.register(broadcast, config)
  await app.register(inbox, {
    broadcast: app.broadcast,
    hasOwnSecret: hasOwnSecret(config),
    isAlone: true,
    // Not with the release of the inbox, which would be the newest one of the services that report to it.
    settings: toInboxSettings(config)
  })
  // Sends nothing: the inbox does not report its own errors but logs them.
  await app.register(telemetry, { environment: config.environment, release, sampleRate: 0 })
  await app.register(tracing, { sampleRate: 0 })
  await app.register(security, { csp: config.csp, redirectOrigins, https })
  await app.register(requestLog)
  await app.register(drain)
  await app.register(urlGuard)
  await app.register(errorReport)
  await app.register(fallbacks, { redirectOrigins })
  await app.register(loadShedding, { maxEventLoopDelay: config.maxEventLoopDelay })
  const secret = readSessionSecrets(config, app.log)
  await app.register(session, { secret, https })
  await app.register(compression)
  await app.register(inboxPages, {
    ...toInboxPagesOptions(config),
    broadcast: app.broadcast,
    secret,
    local,
    host,
    baseUrl,
    print
  })
  await app.register(pageFetch, { timeout: config.fetchTimeout, baseUrl })
  await app.register(assets, { folder: join(dist, 'client') })
  app.get('/', async function redirectToInbox(_request, reply) {
    return reply.redirect(INBOX_PATH)
  })
  const cache = new PageCache({
    maxBytes: config.pageCacheBytes,
    onError: (error) => app.reportBackground(error, 'a cached page could not be rendered again')
  })
  await app.register(pages, { root: ROOT, dist, buildId, baseUrl, renderTimeout, inlineScripts: [], cache })
  return app
}
