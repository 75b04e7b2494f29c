import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { RawClient } from './raw-client.ts'

/** A request, as the bytes that a client sends. */
export interface Kind {
  name: string
  head: string[]
  body?: Buffer
}

/** When the client closes its connection. */
export const MOMENTS = [
  'before a byte is sent',
  'within the head',
  'as the head is sent',
  'within the body',
  'as all is sent',
  'a moment later',
  'at the first byte of the answer',
  'between two requests',
  'within the second of two'
] as const

export type Moment = (typeof MOMENTS)[number]

/** How the client closes the connection: after sending what is buffered, by a reset, or only its own side. */
export const WAYS = ['destroy', 'reset', 'half'] as const

export type Way = (typeof WAYS)[number]

const FORM = Buffer.from('text=hello&name=Ada')
const ENVELOPE = Buffer.from(
  '{"dsn":"http://key@127.0.0.1/1"}\n{"type":"event"}\n{"message":"half"}\n'.padEnd(20_000, '\n')
)

/** Every kind of request. @param cookie of a person who is signed in to the inbox */
export function createKinds(cookie: string): Kind[] {
  const host = 'Host: 127.0.0.1'
  const traced = `sentry-trace: ${'a'.repeat(32)}-${'b'.repeat(16)}-1`
  const get = (name: string, path: string, ...headers: string[]): Kind => ({
    name,
    head: [`GET ${path} HTTP/1.1`, host, traced, ...headers]
  })
  const post = (name: string, path: string, type: string, body: Buffer, ...headers: string[]): Kind => ({
    name,
    head: [
      `POST ${path} HTTP/1.1`,
      host,
      traced,
      'Origin: http://127.0.0.1',
      'Sec-Fetch-Site: same-origin',
      `Content-Type: ${type}`,
      `Content-Length: ${body.length}`,
      ...headers
    ],
    body
  })
  return [
    get('a document', '/'),
    get('a stream', '/lab/stream'),
    get('a compressed stream', '/lab/stream', 'Accept-Encoding: br'),
    get('page data', '/-/data/lab/items'),
    get('a static asset', '/favicon.svg'),
    get('a page that suspends', '/lab/slow?ms=200'),
    get('a page that is not there', '/nothing/here'),
    get('a page that fails', '/lab/error/data'),
    get('the live stream of the inbox', '/inbox/live', `Cookie: ${cookie}`),
    get(
      'a WebSocket',
      '/socket',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
    ),
    { name: 'HEAD', head: ['HEAD / HTTP/1.1', host, traced] },
    post('an action', '/lab/form', 'application/x-www-form-urlencoded', FORM),
    post('JSON', '/json', 'application/json', Buffer.from(JSON.stringify({ text: 'x'.repeat(5_000) }))),
    post('compressed JSON', '/json', 'application/json', gzipSync('{"a":1}'), 'Content-Encoding: gzip'),
    post('an envelope', '/monitoring', 'text/plain', ENVELOPE)
  ]
}

/** Sends a request and closes the connection. */
export async function closeAt(port: number, { head, body }: Kind, moment: Moment, way: Way): Promise<void> {
  const client = await RawClient.open(port, { allowHalfOpen: way === 'half' })
  const text = `${head.join('\r\n')}\r\n\r\n`
  const half = text.slice(0, text.length / 2)
  const send = () => {
    client.send(text)
    if (body) client.send(body)
  }
  if (moment === 'within the head') client.send(half)
  if (moment === 'as the head is sent') client.send(text)
  if (moment === 'within the body') {
    client.send(text)
    if (body) client.send(body.subarray(0, body.length / 2))
    await pause(5)
  }
  if (moment === 'as all is sent') send()
  if (moment === 'a moment later') {
    send()
    await pause(Math.random() * 30)
  }
  if (moment === 'at the first byte of the answer') {
    send()
    await client.until('HTTP/1.1')
  }
  if (moment === 'between two requests' || moment === 'within the second of two') {
    client.send('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await client.until('HTTP/1.1 200')
    if (moment === 'within the second of two') {
      client.send(half)
      await pause(5)
    }
  }
  if (way === 'reset') client.socket.resetAndDestroy()
  else if (way === 'destroy') client.socket.destroy()
  else {
    client.socket.end()
    await pause(20)
    client.socket.destroy()
  }
  await client.closed
}
