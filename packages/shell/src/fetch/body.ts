/** An encoded request body. */
export interface Payload {
  /** The whole body, which can be sent again; undefined for a stream, which can be sent only once. */
  bytes?: Buffer<ArrayBuffer>
  stream?: AsyncIterable<Uint8Array>
  /** Content type that fetch sets for such a body; null if it sets none. */
  type: string | null
}

/** Encodes the body as fetch would. Everything but a stream is encoded once, so that it can be sent again. */
export async function toPayload(body: BodyInit | null | undefined): Promise<Payload | null> {
  if (body === null || body === undefined) return null
  if (isStream(body)) return { stream: body, type: null }
  const encoded = new Response(body)
  return { bytes: Buffer.from(await encoded.arrayBuffer()), type: encoded.headers.get('content-type') }
}

/** Reads a body to its end. Returns undefined and cancels the rest if the body is longer than `limit` bytes. */
export async function readBody(
  body: AsyncIterable<Uint8Array> | null,
  limit: number
): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  if (body !== null) {
    for await (const chunk of body) {
      length += chunk.byteLength
      if (length > limit) return undefined
      chunks.push(chunk)
    }
  }
  return Buffer.concat(chunks, length)
}

/** Maximum bytes of an unwanted answer to read, so that its connection can be reused. A guess. */
const DRAIN_LIMIT = 64 * 1024

/** Reads and discards an unwanted answer. Ignores errors. */
export async function drainBody(body: AsyncIterable<Uint8Array> | null): Promise<void> {
  await readBody(body, DRAIN_LIMIT).catch(() => {})
}

function isStream(body: object | string): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && Symbol.asyncIterator in body
}
