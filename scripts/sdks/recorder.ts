import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'

/** A request of an SDK, with its response. */
export interface Exchange {
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** The decoded body. */
  body: Buffer
  status: number
}

const DECODERS: Record<string, (body: Buffer) => Buffer> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync
}

const OF_THE_CONNECTION = new Set(['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'])

/** A proxy between SDKs and a server that records requests. */
export async function openRecorder(target: string) {
  const exchanges: Exchange[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const body = Buffer.concat(await request.toArray())
    const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.has(name)))
    const answer = await fetch(target + path, {
      method,
      headers: passed as Record<string, string>,
      body: body.length > 0 ? body : undefined
    })
    const decode = DECODERS[headers['content-encoding'] ?? '']
    exchanges.push({ method, path, headers, body: decode ? decode(body) : body, status: answer.status })
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Requests since the last call. */
    take: () => exchanges.splice(0),
    close() {
      server.close()
      server.closeAllConnections()
    }
  }
}
