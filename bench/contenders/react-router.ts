import { createPeer } from './peer.ts'

/** React Router in framework mode, served by its own server, which logs each request. */
export const reactRouter = createPeer({
  name: 'react-router',
  build: ['node_modules/@react-router/dev/bin.cjs', 'build'],
  serve: ['node_modules/@react-router/serve/bin.cjs', 'build/server/index.js']
})
