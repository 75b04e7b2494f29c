import { EnvelopeParser } from '../envelope/parser.ts'
import type { EnvelopeMeta, EnvelopeSink } from './types.ts'

/** Result that a transport of Sentry's SDKs expects from its `makeRequest`. */
export interface SendResult {
  statusCode: number
  headers: { 'x-sentry-rate-limits': string | null; 'retry-after': string | null }
}

/** What the spool keeps of an envelope that this process made itself. */
export interface OwnEnvelope extends Pick<EnvelopeMeta, 'header' | 'sentAt' | 'counts'> {
  /** Everything after the header line. */
  body: Uint8Array
}

/**
 * Reads an envelope of the server's own SDK, by the same rules as a visitor's.
 * @throws MonitoringMalformed
 * @throws MonitoringTooLarge
 */
export function readOwnEnvelope(bytes: Uint8Array): OwnEnvelope {
  const known: Pick<EnvelopeMeta, 'header' | 'sentAt'> = { header: {} }
  const parser = new EnvelopeParser(({ fields, sentAt }) => {
    known.header = { ...fields }
    if (sentAt !== undefined) known.sentAt = sentAt
  })
  const body = parser.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) ?? new Uint8Array()
  parser.end()
  return { ...known, counts: parser.counts, body }
}

/**
 * Gives an envelope of the server's own SDK to a sink. Resolves when it is on disk.
 * @param dsn the provider that it is for
 * @throws SpoolUnavailable
 */
export async function sendOwnEnvelope(sink: EnvelopeSink, dsn: string, envelope: Uint8Array): Promise<SendResult> {
  const { body, ...known } = readOwnEnvelope(envelope)
  await sink.accept({ meta: { ...known, dsn, receivedAt: Date.now() }, body })
  return toSendResult(sink.rateLimits(dsn))
}

export const toSendResult = (limits: string | undefined): SendResult => ({
  statusCode: 200,
  headers: { 'x-sentry-rate-limits': limits ?? null, 'retry-after': null }
})
