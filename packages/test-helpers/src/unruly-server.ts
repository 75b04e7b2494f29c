import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Test } from 'tap'
import { listen } from './listen.ts'

/** Answers one request whose body was read. */
export type Behaviour = (response: ServerResponse) => void

export interface SeenRequest {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

export interface UnrulyServer {
  origin: string
  /** Every request so far. */
  seen: SeenRequest[]
  /** Behaviours for the next requests in order. The last one applies to all further requests. */
  will: (...behaviours: Behaviour[]) => void
  /** Resolves when the connection of a request was closed before its response ended. */
  abandoned: Promise<void>
  /** Closes the port, so that it refuses connections. */
  close: () => Promise<void>
}

/** A real HTTP server on loopback that misbehaves as the test requests; closed with the test. */
export async function openUnrulyServer(t: Test): Promise<UnrulyServer> {
  let script: Behaviour[] = [answer(200)]
  const { promise: abandoned, resolve: abandon } = Promise.withResolvers<void>()
  const seen: SeenRequest[] = []

  const server = createServer(async function misbehave(request, response) {
    response.on('close', () => {
      if (!response.writableFinished) abandon()
    })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    seen.push({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString()
    })
    const behave = script.length > 1 ? script.shift() : script[0]
    behave?.(response)
  })
  const { origin } = await listen(t, server)
  return {
    origin,
    seen,
    abandoned,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
    will: (...behaviours) => {
      script = behaviours
    }
  }
}

/** Answers at once. */
export function answer(status: number, headers: Record<string, string | string[]> = {}, body = ''): Behaviour {
  return (response) => response.writeHead(status, headers).end(status === 204 ? undefined : body)
}

/** Answers 503 with `Retry-After`. */
export function busy(retryAfter: string): Behaviour {
  return answer(503, { 'retry-after': retryAfter })
}

/** Answers after `delay` milliseconds. */
export function answerLate(delay: number, body = ''): Behaviour {
  return (response) => {
    setTimeout(() => response.end(body), delay)
  }
}

/** Never sends headers. */
export const hang: Behaviour = () => {}

/** Sends headers and half of the body, and then nothing. */
export const hangInBody: Behaviour = (response) => {
  sendHalf(response)
}

/** Cuts the connection before the headers. */
export const reset: Behaviour = (response) => {
  response.socket?.resetAndDestroy()
}

/** Cuts the connection within the body. */
export const resetInBody: Behaviour = (response) => sendHalf(response, () => response.socket?.resetAndDestroy())

function sendHalf(response: ServerResponse, sent?: () => void): void {
  response.writeHead(200, { 'content-length': '10' })
  response.write('12345', sent)
}
