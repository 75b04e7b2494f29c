import { createPeer } from './peer.ts'

/** @fastify/react as its documentation sets it up, and without a logger. */
export const stock = createPeer({
  name: 'stock',
  build: ['node_modules/vite/bin/vite.js', 'build', '--app'],
  serve: ['server.js']
})
