/** A request body that is ready to be sent. */
export interface Payload {
  /** The whole body, which can be sent again; undefined for a stream, which cannot. */
  bytes?: Buffer<ArrayBuffer>
  stream?: AsyncIterable<Uint8Array>
  /** The content type that fetch gives such a body, null where it gives none. */
  type: string | null
}

/** The body as fetch would send it. Everything but a stream is encoded once, so that it can be sent again. */
export async function toPayload(body: BodyInit | null | undefined): Promise<Payload | null> {
  if (body === null || body === undefined) return null
  if (isStream(body)) return { stream: body, type: null }
  const encoded = new Response(body)
  return { bytes: Buffer.from(await encoded.arrayBuffer()), type: encoded.headers.get('content-type') }
}

/** Reads a body to its end; undefined, with the rest cancelled, when it is longer than `limit` bytes. */
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

/** Bytes of an answer nobody wants that are still read, so that its connection can be used again. Ours. */
const DRAIN_LIMIT = 64 * 1024

/** Lets go of an answer that is not wanted; how its body ends does not matter. */
export async function drainBody(body: AsyncIterable<Uint8Array> | null): Promise<void> {
  await readBody(body, DRAIN_LIMIT).catch(() => {})
}

function isStream(body: object | string): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && Symbol.asyncIterator in body
}
