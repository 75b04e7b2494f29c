import { toEnvelope } from '@hull/test-helpers/envelopes.ts'
import type { openTunnel } from '@hull/test-helpers/monitoring.ts'

export const MIB = 1024 ** 2
/** Headers of a request from a page of the application. */
export const HEADERS = ['Host: localhost', 'Sec-Fetch-Site: same-origin']
/** Items of a small envelope. */
export const EVENT = '{"type":"event"}\n{}\n'
/** Creates the head of a request, without `Connection: close`. */
export const head = (...headers: string[]) =>
  `${['POST /monitoring HTTP/1.1', ...HEADERS, ...headers].join('\r\n')}\r\n\r\n`
/** Encodes pieces as a body with `Transfer-Encoding: chunked`. */
export const chunked = (pieces: Iterable<Buffer>) =>
  Buffer.concat([
    ...[...pieces].flatMap((piece) => [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
    Buffer.from('0\r\n\r\n')
  ])
type Tunnel = Awaited<ReturnType<typeof openTunnel>>

/** Checks that the tunnel still accepts an envelope. */
export async function checkAlive({ post, files }: Tunnel) {
  const before = files.kept.length
  const { status } = await post(toEnvelope(EVENT))
  if (status !== 200 || files.kept.length !== before + 1)
    throw new Error(`The tunnel did not store an envelope, and responded with ${status}`)
}
