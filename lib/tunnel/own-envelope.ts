import { EnvelopeParser } from '../envelope/parser.ts'
import type { EnvelopeMeta } from './types.ts'

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
