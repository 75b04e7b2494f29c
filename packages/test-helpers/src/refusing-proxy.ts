import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** Answers a request in place of the origin. */
export type Refusal = (request: IncomingMessage, response: ServerResponse) => void

/** An HTTP proxy that answers in place of the origin, or changes its responses; closed with the test. */
export async function openRefusingProxy(t: Test, origin: string) {
  const { hostname, port } = new URL(origin)
  let refuses: ((request: IncomingMessage) => boolean) | undefined
  let refuse: Refusal | undefined
  let rewrite: ((body: string) => string) | undefined

  const server = createServer(function forward(request, response) {
    if (refuse && refuses!(request)) {
      request.resume().on('end', () => refuse!(request, response))
      return
    }
    const { method, url, headers } = request
    const inner = ask({ hostname, port, method, path: url, headers }, async (answer) => {
      if (!rewrite || !refuses!(request)) {
        response.writeHead(answer.statusCode!, answer.headers)
        return answer.pipe(response)
      }
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk as Buffer)
      const body = rewrite(Buffer.concat(chunks).toString())
      response.writeHead(answer.statusCode!, { ...answer.headers, 'content-length': Buffer.byteLength(body) }).end(body)
    })
    inner.on('error', () => response.destroy())
    response.on('close', () => inner.destroy())
    request.pipe(inner)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,

    /** Answers the requests that `which` selects; without arguments, none any more. */
    refuse(which?: (request: IncomingMessage) => boolean, how?: Refusal) {
      refuses = which
      refuse = how
      rewrite = undefined
    },

    /**
     * Changes the bodies of the origin's responses to the requests that `which` selects. They must not be compressed.
     */
    rewrite(which: (request: IncomingMessage) => boolean, how: (body: string) => string) {
      refuses = which
      refuse = undefined
      rewrite = how
    }
  }
}

/** Whether a request is a POST. */
export const isPost = ({ method }: IncomingMessage): boolean => method === 'POST'

/** Answers with this status and page, like a proxy. */
export const withHtml =
  (status: number): Refusal =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end(`<h1>${status}</h1>`)
  }
