import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Test } from 'tap'
import { openTunnel, type Tunnel, type TunnelOptions } from '../../monitoring/src/delivery/tunnel.ts'
import type { EnvelopeMeta, EnvelopeSink } from '../../monitoring/src/delivery/types.ts'
import type { TestClock } from './clock.ts'
import { createFolder } from './folder.ts'

export interface LoggedLine {
  level: 'info' | 'warn' | 'error'
  message: string
  details: object
}

/** A log that a test looks into. */
export function createLog() {
  const lines: LoggedLine[] = []
  const at = (level: LoggedLine['level']) => (details: object, message: string) =>
    void lines.push({ level, message, details })
  return { lines, log: { info: at('info'), warn: at('warn'), error: at('error') } }
}

/** A tunnel over a folder of the test's, with timeouts for impatient tests; closed with the test. */
export function createTunnel(t: Test, options: Partial<TunnelOptions> & Pick<TunnelOptions, 'providers'>) {
  const { lines, log } = createLog()
  const file = options.file ?? join(createFolder(t), 'spool.db')
  const tunnel = openTunnel({
    file,
    maxBytes: 64 * 1024 ** 2,
    maxAge: 3 * 86_400_000,
    timeouts: { connect: 500, headers: 500, total: 2_000 },
    log,
    ...options
  })
  t.teardown(() => tunnel.close())
  return { tunnel, lines, file }
}

export interface Sample {
  meta: EnvelopeMeta
  body: Buffer
}

export interface SampleOptions extends Partial<EnvelopeMeta> {
  /** Type of its item. @default 'event' */
  type?: string
  /** Bytes of its payload, which are random. @default 200 */
  size?: number
}

/** An envelope with one item, which has a payload of bytes that no text has. */
export function createSample(dsn: string, { type = 'event', size = 200, ...meta }: SampleOptions = {}): Sample {
  const payload = randomBytes(size)
  const body = Buffer.concat([Buffer.from(`${JSON.stringify({ type, length: size })}\n`), payload, Buffer.from('\n')])
  const header = { event_id: randomBytes(16).toString('hex'), dsn }
  const category = type === 'event' ? 'error' : type
  return { body, meta: { dsn, header, receivedAt: Date.now(), counts: { [category]: 1 }, ...meta } }
}

/** Writes an envelope as a request's stream would. */
export async function write(sink: Pick<EnvelopeSink, 'begin'>, { meta, body }: Sample, chunkSize = 64 * 1024) {
  const writer = sink.begin(meta.dsn)
  for (let at = 0; at < body.length; at += chunkSize) await writer.write(body.subarray(at, at + chunkSize))
  await writer.commit(meta)
}

/** Creates and writes. */
export async function put(sink: Pick<EnvelopeSink, 'begin'>, dsn: string, options?: SampleOptions): Promise<Sample> {
  const sample = createSample(dsn, options)
  await write(sink, sample)
  return sample
}

/** Resolves when `done` says so; the test's own timeout is the limit. */
export async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** As {@link until}, while time passes: behind many envelopes at once attempts are made by the clock. */
export const untilPassing = (clock: TestClock, done: () => boolean): Promise<void> =>
  until(() => {
    clock.advance(10)
    return done()
  })

/** Resolves when the spool holds so many envelopes. */
export const holds = (tunnel: Tunnel, count: number) => until(() => tunnel.stats().envelopes === count)
