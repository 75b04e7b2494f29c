import { request } from 'node:http'

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

const TIMEOUT = 10_000

/** One GET on a connection of its own, so that nothing is left open between a measurement and the next. */
export function get(origin: string, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request(origin + path, { agent: false, headers, timeout: TIMEOUT }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) })
      )
    })
    asking.on('timeout', () => asking.destroy(new Error(`${path} did not answer within ${TIMEOUT} ms`)))
    asking.on('error', reject)
    asking.end()
  })
}
