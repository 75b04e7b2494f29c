import { createPeer } from './peer.ts'

const cli = 'node_modules/next/dist/bin/next'

/** Next's app router: pages are server components, rendered again for each request. */
export const next = createPeer({
  name: 'next',
  build: [cli, 'build'],
  // Next reads PORT, but not HOST.
  serve: [cli, 'start', '--hostname', '127.0.0.1'],
  env: () => ({ NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' })
})
