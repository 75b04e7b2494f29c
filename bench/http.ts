import { request } from 'node:http'

export interface HttpResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

const TIMEOUT = 10_000

/** Sends one GET request on a new connection, so that no connection stays open between two measurements. */
export function get(origin: string, path: string, headers: Record<string, string> = {}): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request(origin + path, { agent: false, headers, timeout: TIMEOUT }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) })
      )
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error(`No response for ${path} within ${TIMEOUT} ms`)))
    outgoing.on('error', reject)
    outgoing.end()
  })
}
