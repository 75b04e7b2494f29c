import { serve } from 'srvx'
import { staticMiddleware } from 'srvx/static'
import server from './dist/server/server.js'

serve({
  port: Number(process.env.PORT),
  hostname: process.env.HOST,
  silent: true,
  middleware: [staticMiddleware({ dir: new URL('dist/client', import.meta.url).pathname })],
  fetch: server.fetch
})
