import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Made-up DSN of the browser envelopes in packages/monitoring/test/fixtures/envelopes. */
export const FIXTURE_DSN = 'https://pubkey0123456789abcdef0123456789@o1.ingest.sentry.example/42'

const FOLDER = join(import.meta.dirname, '../../monitoring/test/fixtures/envelopes')
const NEWLINE = 0x0a

/** Every envelope of packages/monitoring/test/fixtures/envelopes, as it was sent. */
export const fixtures = globSync('*.envelope', { cwd: FOLDER })
  .sort()
  .map((path) => {
    const bytes = readFileSync(join(FOLDER, path))
    const { header, rest } = splitEnvelope(bytes)
    return { name: basename(path, '.envelope'), bytes, header, rest }
  })

/** The same as a tunnel receives it: Node's SDK adds no DSN to the header, since it uses no tunnel. */
export const tunnelled = fixtures.map(({ name, header, rest }) => ({
  name,
  rest,
  header: { dsn: FIXTURE_DSN, ...header } as Record<string, unknown>,
  bytes: toEnvelope(rest, header)
}))

/** An envelope of these bytes, for the DSN of the fixtures unless the header has another. */
export function toEnvelope(rest: string | Uint8Array, header: Record<string, unknown> = {}): Buffer {
  return Buffer.concat([
    Buffer.from(`${JSON.stringify({ dsn: FIXTURE_DSN, ...header })}\n`),
    Buffer.from(rest as string)
  ])
}

export function splitEnvelope(bytes: Buffer): { header: Record<string, unknown>; rest: Buffer } {
  const newline = bytes.indexOf(NEWLINE)
  const end = newline === -1 ? bytes.length : newline
  return { header: JSON.parse(bytes.toString('utf8', 0, end)), rest: bytes.subarray(end + 1) }
}

/** Cuts bytes into pieces of the given sizes, repeatedly. */
export function* inPieces(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = Math.max(1, sizes[i % sizes.length]!)
    yield bytes.subarray(at, at + size)
    at += size
  }
}
