import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import type { Test } from 'tap'

/** Starts a server on a free port of loopback, and closes it with the test. */
export async function listen(t: Test, server: Server | HttpServer): Promise<{ origin: string; port: number }> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, port }
}
