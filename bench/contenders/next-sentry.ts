import { PROVIDER_PROJECT, type Provider } from '../provider.ts'
import { createPeer } from './peer.ts'

const cli = 'node_modules/next/dist/bin/next'

/**
 * Next with @sentry/nextjs, set up as its guide describes, with the same sample rate of traces as Hull. Its tunnel
 * forwards only to the hosted provider, so its rewrite rules are changed to lead to `provider`.
 */
export const nextSentry = createPeer({
  name: 'next-sentry',
  sources: ['next', 'next-sentry'],
  build: [cli, 'build'],
  serve: [cli, 'start', '--hostname', '127.0.0.1'],
  env: (provider: Provider) => ({
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    NEXT_PUBLIC_DSN: `https://key@o1.ingest.us.sentry.io/${PROVIDER_PROJECT}`,
    PROVIDER: provider.origin,
    SERVER_DSN: provider.dsn
  })
})
