import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { InboxChunkInvalid } from '../errors.ts'
import { CHUNK_BYTES, CHUNKS_PER_REQUEST } from './limits.ts'

const inflate = promisify(gunzip)

export interface Chunk {
  sha1: string
  body: Uint8Array
}

/**
 * Reads the chunks of a multipart form: files that are named by their SHA-1, in fields `file` or `file_gzip`.
 * @throws InboxChunkInvalid
 */
export async function readChunks(body: Buffer, contentType: string): Promise<Chunk[]> {
  const form = await new Response(Uint8Array.from(body), { headers: { 'content-type': contentType } })
    .formData()
    .catch((error: unknown) => {
      throw new InboxChunkInvalid('the form is malformed or cut short', { cause: error })
    })
  const parts = [...form].filter(([, value]) => value instanceof File) as [string, File][]
  if (parts.length > CHUNKS_PER_REQUEST) throw new InboxChunkInvalid(`a request has at most ${CHUNKS_PER_REQUEST}`)
  return Promise.all(parts.map(([field, file]) => readChunk(field, file)))
}

async function readChunk(field: string, file: File): Promise<Chunk> {
  const sha1 = file.name.toLowerCase()
  const sent = await file.bytes()
  const body = field === 'file_gzip' ? await unpack(sent) : sent
  if (body.length > CHUNK_BYTES) throw new InboxChunkInvalid(`it has more than ${CHUNK_BYTES} bytes`)
  if (createHash('sha1').update(body).digest('hex') !== sha1)
    throw new InboxChunkInvalid('its SHA-1 checksum is not its name')
  return { sha1, body }
}

async function unpack(body: Uint8Array): Promise<Uint8Array> {
  try {
    return await inflate(body, { maxOutputLength: CHUNK_BYTES })
  } catch (error) {
    throw new InboxChunkInvalid(`it is no gzip file, or has more than ${CHUNK_BYTES} bytes`, { cause: error })
  }
}
