import type { Readable } from 'node:stream'
import { isMarkedVisible } from '@hull/common/visible-error.ts'
import { MonitoringForeignDsn, MonitoringMalformed, SpoolUnavailable } from '../errors.ts'
import type { EnvelopeMeta, EnvelopeWriter, StreamSink } from '../delivery/types.ts'
import { Gatherer, readPieces, type Decoder } from './body.ts'
import type { DsnTarget } from './dsn.ts'
import type { EnvelopeHeader } from './headers.ts'
import { EnvelopeParser } from './parser.ts'

/** Where envelopes go, and for whom. */
export interface IntakeOptions {
  /**
   * Whose an envelope is whose header names this DSN, or none; undefined where nobody here takes it. What it throws, the
   * envelope is refused with.
   */
  findTarget: (dsn: string | undefined) => DsnTarget | undefined
  sink: StreamSink
  /** Called with the categories of an envelope that was read whole; what it throws, the envelope is refused with. */
  admit?: (categories: readonly string[]) => void
}

/** The body of a request that carries an envelope. */
export interface IncomingBody {
  body: Readable
  decoder: Decoder
  clientAddress?: string
}

/**
 * Takes one envelope from a client to the sink, piece by piece.
 * @returns what is known of it, once the sink has it for good
 * @throws MonitoringMalformed
 * @throws MonitoringForeignDsn and whatever `findTarget` does
 * @throws MonitoringTooLarge
 * @throws SpoolUnavailable when the sink failed
 * @throws ClientGone when the client left before its last byte; the sink has forgotten what came
 */
export async function takeEnvelope(
  { body, decoder, clientAddress }: IncomingBody,
  { findTarget, sink, admit }: IntakeOptions
): Promise<EnvelopeMeta> {
  let accepted: { meta: EnvelopeMeta; writer: EnvelopeWriter } | undefined

  const parser = new EnvelopeParser((header) => {
    const meta = toMeta(header, findTarget)
    if (clientAddress !== undefined) meta.clientAddress = clientAddress
    accepted = { meta, writer: atSink(() => sink.begin(meta.dsn)) }
  })
  const gatherer = new Gatherer((piece) => atSink(() => accepted!.writer.write(piece)?.catch(failSink)))

  try {
    await readPieces(body, decoder, (piece) => {
      const rest = parser.push(piece)
      return rest && gatherer.add(rest)
    })
    parser.end()
    await gatherer.end()
    admit?.(Object.keys(parser.counts))
  } catch (error) {
    accepted?.writer.abort()
    throw error
  }
  const { meta, writer } = accepted!
  meta.counts = parser.counts
  await atSink(() => writer.commit(meta)).catch(failSink)
  return meta
}

function toMeta({ fields, sentAt }: EnvelopeHeader, findTarget: IntakeOptions['findTarget']): EnvelopeMeta {
  const target = findTarget(fields.dsn)
  if (target === undefined && fields.dsn === undefined) throw new MonitoringMalformed('its header names no dsn')
  if (target === undefined) throw new MonitoringForeignDsn()
  const { dsn, provider } = target
  const meta: EnvelopeMeta = { dsn: provider, header: { ...fields, dsn }, receivedAt: Date.now(), counts: {} }
  if (sentAt !== undefined) meta.sentAt = sentAt
  return meta
}

function atSink<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    return failSink(error)
  }
}

/** An error made for the sender stays as it is; with any other the sender may come again later. */
function failSink(error: unknown): never {
  throw isMarkedVisible(error) ? error : new SpoolUnavailable({ cause: error })
}
