import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export interface ReceivedItem {
  header: Record<string, unknown>
  payload: Buffer
}

export interface ReceivedEnvelope {
  method: string
  url: string
  headers: IncomingHttpHeaders
  header: Record<string, unknown>
  items: ReceivedItem[]
  /** The body without the header line. */
  body: Buffer
  /** From performance.now(). */
  at: number
}

/** Answers a request whose body was read. */
export type Conduct = (response: ServerResponse, envelope: ReceivedEnvelope) => void

export interface TestProvider {
  /** DSN of this server. */
  dsn: string
  origin: string
  /** Envelopes whose body arrived, with any status. */
  seen: ReceivedEnvelope[]
  /** Envelopes that were answered with 2xx. */
  received: ReceivedEnvelope[]
  /** Sets the behaviour for further envelopes. */
  conduct: (conduct: Conduct) => void
  /** Answers as soon as the headers have arrived, and reads no body; undefined reads bodies again. */
  answerEarly: (early: ((response: ServerResponse) => void) | undefined) => void
  /** Cuts every connection, and refuses new ones. */
  goDown: () => Promise<void>
  comeBack: () => Promise<void>
  /** Resolves when `count` envelopes were answered with 2xx. */
  has: (count: number) => Promise<void>
  /** Resolves when this number of envelopes has arrived. */
  saw: (count: number) => Promise<void>
}

/** A provider on loopback that answers 200, or misbehaves as the test requests; closed with the test. */
export async function openProvider(t: Test): Promise<TestProvider> {
  let conduct: Conduct = accept
  let early: ((response: ServerResponse) => void) | undefined
  const seen: ReceivedEnvelope[] = []
  const received: ReceivedEnvelope[] = []
  const waiting = new Set<() => void>()
  const tell = () => {
    for (const look of waiting) look()
  }

  const server = createServer(async function receive(request, response) {
    if (early !== undefined) return early(response)
    const envelope = await readEnvelope(request)
    if (envelope === undefined) return
    response.on('finish', () => {
      if (response.statusCode < 200 || response.statusCode > 299) return
      received.push(envelope)
      tell()
    })
    seen.push(envelope)
    conduct(response, envelope)
    tell()
  })
  server.keepAliveTimeout = 60_000
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const close = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  const until = (done: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!done()) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  await listen(0)
  t.teardown(close)
  const { port } = server.address() as AddressInfo

  return {
    dsn: `http://key@127.0.0.1:${port}/7`,
    origin: `http://127.0.0.1:${port}`,
    seen,
    received,
    conduct(next) {
      conduct = next
    },
    answerEarly(next) {
      early = next
    },
    goDown: close,
    comeBack: () => listen(port),
    has: (count) => until(() => received.length >= count),
    saw: (count) => until(() => seen.length >= count)
  }
}

/** 200, like a real provider. */
export const accept: Conduct = (response, { header }) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: header.event_id }))
}

/** Any status, with headers. */
export const reply =
  (status: number, headers: Record<string, string | string[]> = {}): Conduct =>
  (response) => {
    response.writeHead(status, headers).end('{"detail":"no"}')
  }

/** 200, after `ms` milliseconds. */
export const acceptLate =
  (ms: number): Conduct =>
  (response, envelope) => {
    setTimeout(() => accept(response, envelope), ms)
  }

/** Accepts the envelope, and never answers. */
export const neverAnswer: Conduct = () => {}

/** Cuts the connection within the response headers. */
export const resetInHeaders: Conduct = ({ socket }) => {
  socket?.write('HTTP/1.1 200 OK\r\nContent-Ty', () => socket.resetAndDestroy())
}

/** 200, with a body that never ends. */
export const answerForEver: Conduct = (response) => {
  response.writeHead(200)
  const timer = setInterval(() => response.write('x'.repeat(1_000)), 5)
  response.on('close', () => clearInterval(timer))
}

/** Applies behaviours to the next envelopes in order. The last one applies to all further envelopes. */
export function inTurn(...conducts: Conduct[]): Conduct {
  return (response, envelope) => (conducts.length > 1 ? conducts.shift()! : conducts[0]!)(response, envelope)
}

async function readEnvelope(request: IncomingMessage): Promise<ReceivedEnvelope | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk)
  } catch {
    return undefined
  }
  const bytes = Buffer.concat(chunks)
  const end = bytes.indexOf('\n')
  const body = bytes.subarray(end + 1)
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    header: JSON.parse(bytes.subarray(0, end).toString()),
    items: readItems(body),
    body,
    at: performance.now()
  }
}

/** Reads an item as the envelope specification says: `length` bytes, or without `length` up to the end of the line. */
function readItems(body: Buffer): ReceivedItem[] {
  const items: ReceivedItem[] = []
  for (let at = 0; at < body.length;) {
    const headerEnd = body.indexOf('\n', at)
    if (headerEnd === -1) break
    const header = JSON.parse(body.subarray(at, headerEnd).toString())
    const found = body.indexOf('\n', headerEnd + 1)
    const end = header.length === undefined ? (found === -1 ? body.length : found) : headerEnd + 1 + header.length
    items.push({ header, payload: body.subarray(headerEnd + 1, end) })
    at = end + 1
  }
  return items
}
