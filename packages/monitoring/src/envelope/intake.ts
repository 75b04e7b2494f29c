import type { Readable } from 'node:stream'
import { Gatherer } from '@hull/common/http/gatherer.ts'
import { isMarkedVisible } from '@hull/common/visible-error.ts'
import type { EnvelopeMeta, EnvelopeWriter, StreamSink } from '../delivery/envelope-sink.ts'
import { runInContext } from '../tracing/context.ts'
import { readPieces, type Decoder } from './body.ts'
import type { DsnTarget } from './dsn.ts'
import type { EnvelopeHeader } from './headers.ts'
import { EnvelopeParser } from './parser.ts'
import { MonitoringForeignDsn, MonitoringMalformed, SpoolUnavailable } from '../errors.ts'

/** Target of envelopes, and checks. */
export interface IntakeOptions {
  /**
   * Returns the target for the DSN in an envelope's header, if it has one; undefined if the DSN is not accepted. If it
   * throws, the envelope is refused with that error.
   */
  findTarget: (dsn: string | undefined) => DsnTarget | undefined
  sink: StreamSink
  /**
   * Called with the categories of an envelope after all of it was read. If it throws, the envelope is refused with that
   * error.
   */
  admit?: (categories: readonly string[]) => void
}

/** Body of a request that carries an envelope. */
export interface IncomingBody {
  body: Readable
  decoder: Decoder
  clientAddress?: string
}

/**
 * Passes one envelope from a client to the sink, piece by piece.
 * @returns metadata of the envelope, after the sink has stored it
 * @throws MonitoringMalformed
 * @throws MonitoringForeignDsn
 * @throws the errors of `findTarget` and `admit`
 * @throws MonitoringTooLarge
 * @throws SpoolUnavailable if the sink failed
 * @throws ClientGone if the client disconnected before its last byte; the sink has discarded the envelope
 */
export function storeEnvelope(incoming: IncomingBody, options: IntakeOptions): Promise<EnvelopeMeta> {
  // Hooks of the application run in the request's trace, but envelopes belong to no trace.
  return runInContext(undefined, () => passToSink(incoming, options))
}

async function passToSink(
  { body, decoder, clientAddress }: IncomingBody,
  { findTarget, sink, admit }: IntakeOptions
): Promise<EnvelopeMeta> {
  let accepted: { meta: EnvelopeMeta; writer: EnvelopeWriter } | undefined

  const parser = new EnvelopeParser((header) => {
    const meta = toMeta(header, findTarget)
    if (clientAddress !== undefined) meta.clientAddress = clientAddress
    accepted = { meta, writer: callSink(() => sink.begin(meta.dsn)) }
  })
  const gatherer = new Gatherer((piece) => callSink(() => accepted!.writer.write(piece)?.catch(throwSinkError)))

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
  await callSink(() => writer.commit(meta)).catch(throwSinkError)
  return meta
}

function toMeta({ fields, sentAt }: EnvelopeHeader, findTarget: IntakeOptions['findTarget']): EnvelopeMeta {
  const target = findTarget(fields.dsn)
  if (target === undefined && fields.dsn === undefined) throw new MonitoringMalformed('the envelope header has no dsn')
  if (target === undefined) throw new MonitoringForeignDsn()
  const { dsn, provider } = target
  const meta: EnvelopeMeta = { dsn: provider, header: { ...fields, dsn }, receivedAt: Date.now(), counts: {} }
  if (sentAt !== undefined) meta.sentAt = sentAt
  return meta
}

function callSink<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    return throwSinkError(error)
  }
}

/** Keeps an error for the sender. Replaces all others by one after which the sender may try again. */
function throwSinkError(error: unknown): never {
  throw isMarkedVisible(error) ? error : new SpoolUnavailable({ cause: error })
}
