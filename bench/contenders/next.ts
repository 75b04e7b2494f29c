import { createPeer } from './peer.ts'

const cli = 'node_modules/next/dist/bin/next'

/** Next's app router: pages are server components, rendered anew for each request. */
export const next = createPeer({
  name: 'next',
  build: [cli, 'build'],
  // it takes its port from PORT; HOST it does not know
  serve: [cli, 'start', '--hostname', '127.0.0.1'],
  env: { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' }
})
