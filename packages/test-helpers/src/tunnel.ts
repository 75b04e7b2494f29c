import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Test } from 'tap'
import { openTunnel, type Tunnel, type TunnelOptions } from '../../monitoring/src/delivery/tunnel.ts'
import type { EnvelopeMeta, EnvelopeSink } from '../../monitoring/src/delivery/envelope-sink.ts'
import type { TestClock } from './clock.ts'
import { createFolder } from './folder.ts'

export interface LoggedLine {
  level: 'info' | 'warn' | 'error'
  message: string
  details: object
}

/** A log that the test can read. Lines about a provider are separate, because they depend on time. */
export function createLog() {
  const lines: LoggedLine[] = []
  const providerLines: LoggedLine[] = []
  const at = (level: LoggedLine['level']) => (details: object, message: string) =>
    void ('provider' in details ? providerLines : lines).push({ level, message, details })
  return { lines, providerLines, log: { info: at('info'), warn: at('warn'), error: at('error') } }
}

/** A tunnel with its own folder and short timeouts; closed with the test. */
export function createTunnel(t: Test, options: Partial<TunnelOptions> & Pick<TunnelOptions, 'providers'>) {
  const { log, ...logged } = createLog()
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
  return { tunnel, ...logged, file }
}

export interface Sample {
  meta: EnvelopeMeta
  body: Buffer
}

export interface SampleOptions extends Partial<EnvelopeMeta> {
  /** Type of its item. @default 'event' */
  type?: string
  /** Bytes of its random payload. @default 200 */
  size?: number
}

/** An envelope with one item, whose payload is not valid text. */
export function createSample(dsn: string, { type = 'event', size = 200, ...meta }: SampleOptions = {}): Sample {
  const payload = randomBytes(size)
  const body = Buffer.concat([Buffer.from(`${JSON.stringify({ type, length: size })}\n`), payload, Buffer.from('\n')])
  const header = { event_id: randomBytes(16).toString('hex'), dsn }
  const category = type === 'event' ? 'error' : type
  return { body, meta: { dsn, header, receivedAt: Date.now(), counts: { [category]: 1 }, ...meta } }
}

/** Writes an envelope like the stream of a request. */
export async function write(sink: Pick<EnvelopeSink, 'begin'>, { meta, body }: Sample, chunkSize = 64 * 1024) {
  const writer = sink.begin(meta.dsn)
  for (let at = 0; at < body.length; at += chunkSize) await writer.write(body.subarray(at, at + chunkSize))
  await writer.commit(meta)
}

/** Creates an envelope and writes it. */
export async function put(sink: Pick<EnvelopeSink, 'begin'>, dsn: string, options?: SampleOptions): Promise<Sample> {
  const sample = createSample(dsn, options)
  await write(sink, sample)
  return sample
}

/** Resolves when `done` returns true. The test's timeout is the limit. */
export async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 5))
}

/**
 * Like {@link until}, but advances the clock meanwhile, because with many envelopes attempts are made at fixed times.
 */
export const untilPassing = (clock: TestClock, done: () => boolean): Promise<void> =>
  until(() => {
    clock.advance(10)
    return done()
  })

/** Resolves when the spool holds this number of envelopes. */
export const holds = (tunnel: Tunnel, count: number) => until(() => tunnel.stats().envelopes === count)
