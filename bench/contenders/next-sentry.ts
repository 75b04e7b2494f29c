import { createPeer } from './peer.ts'

const cli = 'node_modules/next/dist/bin/next'

/**
 * Next with the tunnel of @sentry/nextjs, which knows the hosted provider only: its rules lead to `provider` instead.
 * Sentry is not set up on its server, which makes it faster than it would be.
 * @param provider origin
 */
export const createNextSentry = (provider: string) =>
  createPeer({
    name: 'next-sentry',
    build: [cli, 'build'],
    serve: [cli, 'start', '--hostname', '127.0.0.1'],
    env: {
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      NEXT_PUBLIC_DSN: 'https://key@o1.ingest.us.sentry.io/42',
      PROVIDER: provider
    }
  })
