import { createHash } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import type { InjectOptions } from 'fastify'

export interface BundleFile {
  name: string
  body: string | Buffer
  /** Size in the header of the ZIP entry. @default the true size */
  statedSize?: number
}

/** Writes a ZIP file with these entries. */
export function zip(files: readonly BundleFile[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, body, statedSize = body.length } of files) {
    const packed = deflateRawSync(body)
    const header = Buffer.alloc(30)
    header.write('PK\x03\x04', 'latin1')
    const sizes = Buffer.alloc(18)
    sizes.writeUInt16LE(20, 0)
    sizes.writeUInt16LE(8, 4)
    sizes.writeUInt32LE(packed.length, 14)
    const rest = Buffer.alloc(6)
    rest.writeUInt32LE(statedSize, 0)
    rest.writeUInt16LE(name.length, 4)
    sizes.copy(header, 4)
    rest.copy(header, 22)
    const entry = Buffer.alloc(46)
    entry.write('PK\x01\x02', 'latin1')
    sizes.copy(entry, 6)
    rest.copy(entry, 24)
    entry.writeUInt32LE(at, 42)
    parts.push(header, Buffer.from(name), packed)
    directory.push(entry, Buffer.from(name))
    at += header.length + name.length + packed.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, list, end])
}

/** Returns a bundle as sentry-cli writes it, with code and its source map. */
export function bundleOf(map: object, { debugId, url = '~/assets/cart.js' }: { debugId?: string; url?: string } = {}) {
  const headers = debugId === undefined ? {} : { 'debug-id': debugId }
  const files = {
    'files/code.js': { type: 'minified_source', url, headers: { ...headers, Sourcemap: 'cart.js.map' } },
    'files/code.js.map': { type: 'source_map', url: `${url}.map`, headers }
  }
  return zip([
    { name: 'files/code.js', body: 'x' },
    { name: 'files/code.js.map', body: JSON.stringify(map) },
    { name: 'manifest.json', body: JSON.stringify({ files }) }
  ])
}

export const sha1Of = (body: string | Buffer): string => createHash('sha1').update(body).digest('hex')

/**
 * Returns a multipart form with chunks that are not compressed.
 * @param name file name of each chunk @default its checksum
 */
export function chunkForm(chunks: readonly Buffer[], name?: string): Pick<InjectOptions, 'payload' | 'headers'> {
  const parts = chunks.flatMap((body) => [
    Buffer.from(`--edge\r\nContent-Disposition: form-data; name="file"; filename="${name ?? sha1Of(body)}"\r\n\r\n`),
    body,
    Buffer.from('\r\n')
  ])
  return {
    payload: Buffer.concat([...parts, Buffer.from('--edge--\r\n')]),
    headers: { 'content-type': 'multipart/form-data; boundary=edge' }
  }
}
