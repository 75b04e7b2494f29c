import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import { readBuildId } from './lib/build-id.ts'
import type { Config } from './lib/config.ts'
import { openFetchTools } from './lib/fetch/fetch-tools.ts'
import { isInnerRequest } from './lib/fetch/depth.ts'
import { createLoggerOptions } from './lib/logger.ts'
import { PageCache } from './lib/render/page-cache.ts'
import addresses, { rewriteUrl } from './plugins/addresses.ts'
import assets from './plugins/assets.ts'
import compression from './plugins/compression.ts'
import errorReport from './plugins/error-report.ts'
import fallbacks from './plugins/fallbacks.ts'
import health from './plugins/health.ts'
import loadShedding from './plugins/load-shedding.ts'
import pages from './plugins/pages/index.ts'
import requestLog from './plugins/request-log.ts'
import security from './plugins/security.ts'
import session from './plugins/session.ts'
import lab from './routes/lab.ts'

export interface ServerOptions {
  /** Serve from the sources, with hot reload. @default false */
  dev?: boolean
  /** The folder a build wrote. @default `dist` beside this file */
  dist?: string
}
