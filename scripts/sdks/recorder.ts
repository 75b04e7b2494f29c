import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'

/** A request of an SDK, with its response. */
export interface Exchange {
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** Decoded body of the request. */
  body: Buffer
  status: number
}

const DECODERS: Record<string, (body: Buffer) => Buffer> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync
}

/** Headers that belong to a connection, and are not forwarded. */
const OF_THE_CONNECTION = new Set(['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'])

/** Starts a proxy between SDKs and a server, which records requests. */
export async function openRecorder(target: string) {
  const exchanges: Exchange[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const body = Buffer.concat(await request.toArray())
    const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.has(name)))
    const forwarded = await fetch(target + path, {
      method,
      headers: passed as Record<string, string>,
      body: body.length > 0 ? body : undefined
    })
    const decode = DECODERS[headers['content-encoding'] ?? '']
    exchanges.push({ method, path, headers, body: decode ? decode(body) : body, status: forwarded.status })
    response
      .writeHead(forwarded.status, Object.fromEntries(forwarded.headers))
      .end(Buffer.from(await forwarded.arrayBuffer()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Returns the requests since the last call. */
    take: () => exchanges.splice(0),
    close() {
      server.close()
      server.closeAllConnections()
    }
  }
}
