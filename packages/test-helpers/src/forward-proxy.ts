import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { Test } from 'tap'
import { listen } from './listen.ts'

const NAMES = ['NODE_USE_ENV_PROXY', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']

/**
 * Opens a proxy for outgoing requests, and sets the environment variables that lead to it, until the end of the test.
 * It answers requests to http: itself, and refuses tunnels.
 * @returns what it was asked for, such as `POST http://orders.example/7` and `CONNECT orders.example:443`, and the
 * headers
 */
export async function openForwardProxy(t: Test): Promise<{ requests: string[]; headers: IncomingHttpHeaders[] }> {
  const requests: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    headers.push(request.headers)
    request.resume().on('end', () => response.end('by the proxy'))
  })
  server.on('connect', (request, socket) => {
    requests.push(`CONNECT ${request.url}`)
    headers.push(request.headers)
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  const { origin: proxy } = await listen(t, server)
  const before = Object.fromEntries(NAMES.map((name) => [name, process.env[name]]))
  const changed = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: 'direct.example' }
  Object.assign(process.env, changed)
  t.teardown(() => {
    for (const [name, value] of Object.entries(before))
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  })
  return { requests, headers }
}
