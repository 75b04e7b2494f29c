import { createPeer } from './peer.ts'

/** TanStack Start, its handler served by srvx, without a logger. */
export const tanstack = createPeer({
  name: 'tanstack',
  build: ['node_modules/vite/bin/vite.js', 'build'],
  serve: ['server.js']
})
