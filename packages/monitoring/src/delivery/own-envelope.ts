import { EnvelopeParser } from '../envelope/parser.ts'
import type { EnvelopeMeta, EnvelopeSink } from './envelope-sink.ts'

/** Result that a transport of Sentry's SDKs expects from its `makeRequest`. */
export interface SendResult {
  statusCode: number
  headers: { 'x-sentry-rate-limits': string | null; 'retry-after': string | null }
}

/** Parts of an envelope of this process that the spool stores. */
export interface OwnEnvelope extends Pick<EnvelopeMeta, 'header' | 'sentAt' | 'counts'> {
  /** Everything after the header line. */
  body: Uint8Array
}

/**
 * Parses an envelope of the server's own SDK, by the same rules as a client's.
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
 * Sends an envelope of the server's own SDK to a sink. Resolves when the envelope is on disk.
 * @param dsn of the envelope's provider
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
