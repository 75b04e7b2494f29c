import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** The made-up DSN that the browser's envelopes in packages/monitoring/test/fixtures/envelopes were sent for. */
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

/** The same as a tunnel gets it: Node's SDK puts no DSN into the header, since it uses no tunnel. */
export const tunnelled = fixtures.map(({ name, header, rest }) => ({
  name,
  rest,
  header: { dsn: FIXTURE_DSN, ...header } as Record<string, unknown>,
  bytes: toEnvelope(rest, header)
}))

/** An envelope of these bytes, for the DSN of the fixtures unless the header says otherwise. */
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

/** Cuts bytes into pieces of the sizes given, over and over. */
export function* inPieces(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = Math.max(1, sizes[i % sizes.length]!)
    yield bytes.subarray(at, at + size)
    at += size
  }
}
