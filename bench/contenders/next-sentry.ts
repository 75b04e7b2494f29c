import type { Provider } from '../provider.ts'
import { createPeer } from './peer.ts'

const cli = 'node_modules/next/dist/bin/next'

/**
 * Next with @sentry/nextjs, set up as its guide has it. Its tunnel knows the hosted provider only: its rules lead to
 * `provider` instead.
 */
export const createNextSentry = (provider: Pick<Provider, 'origin' | 'dsn'>) =>
  createPeer({
    name: 'next-sentry',
    build: [cli, 'build'],
    serve: [cli, 'start', '--hostname', '127.0.0.1'],
    env: {
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      NEXT_PUBLIC_DSN: 'https://key@o1.ingest.us.sentry.io/42',
      PROVIDER: provider.origin,
      SERVER_DSN: provider.dsn
    }
  })
