import type { FastifyInstance } from 'fastify'
import { findMetrics } from '@hull/common/optional-decorators.ts'
import type { DsnTarget } from '../envelope/dsn.ts'
import { sendOwnEnvelope, toSendResult, type SendResult } from './own-envelope.ts'
import { commonLimits } from './rate-limits.ts'
import type { Tunnel } from './tunnel.ts'
import type { EnvelopeMeta, EnvelopeSink, EnvelopeWriter, StreamSink } from './envelope-sink.ts'

/** A receiver of envelopes, and the DSN that its copies get. */
interface Side {
  sink: EnvelopeSink
  target: DsnTarget
}

export interface DualSinkOptions {
  /** Receiver in this process. */
  inbox: Side
  /** Spool, and the DSN of the provider. */
  provider: { sink: Tunnel; target: DsnTarget }
  /** Called when one receiver did not store an envelope that the other has stored. */
  onMissed: (missing: Missing, error: Error) => void
}

type Missing = 'inbox' | 'provider'

export interface DualSink extends StreamSink {
  /** Sends an envelope of the server's own SDK. @throws SpoolUnavailable if neither stores it */
  send: (envelope: Uint8Array) => Promise<SendResult>
}

/**
 * Creates a sink that stores each envelope with two receivers. An envelope that one of them has stored is accepted:
 * if its sender tried again, it would be stored there twice. Clients hold back only what both receivers limit.
 * @see docs/decisions/088-inbox-beside-provider.md
 */
export function createDualSink({ inbox, provider, onMissed }: DualSinkOptions): DualSink {
  const rateLimits = () =>
    commonLimits(inbox.sink.rateLimits(inbox.target.provider), provider.sink.rateLimits(provider.target.provider))

  /** Waits for both. @returns which one did not store it @throws the provider's error if both have failed */
  async function settle(storing: Record<Missing, Promise<unknown>>): Promise<Missing | undefined> {
    const [first, second] = await Promise.allSettled([storing.inbox, storing.provider])
    if (first.status === 'rejected' && second.status === 'rejected') throw second.reason
    if (first.status === 'rejected') onMissed('inbox', first.reason)
    if (second.status === 'rejected') onMissed('provider', second.reason)
    return first.status === 'rejected' ? 'inbox' : second.status === 'rejected' ? 'provider' : undefined
  }

  function begin(): EnvelopeWriter {
    const copies = { inbox: beginCopy(inbox), provider: beginCopy(provider) }
    const toCopy = (meta: EnvelopeMeta, { target: { dsn, provider } }: Side): EnvelopeMeta => ({
      ...meta,
      dsn: provider,
      header: { ...meta.header, dsn }
    })
    const both = Object.values(copies)
    return {
      write(chunk) {
        const waits = both.map((copy) => copy.write(chunk)).filter((wait) => wait !== undefined)
        if (both.every(({ error }) => error !== undefined)) throw copies.provider.error!
        return waits.length > 0 ? Promise.all(waits).then(() => {}) : undefined
      },
      async commit(meta) {
        const kept = toCopy(meta, inbox)
        const storing = { inbox: copies.inbox.commit(kept), provider: copies.provider.commit(toCopy(meta, provider)) }
        if ((await settle(storing)) === 'provider' && kept.isInMemory) meta.isInMemory = true
      },
      abort() {
        for (const copy of both) copy.abort()
      }
    }
  }

  return {
    begin,
    rateLimits,
    async send(envelope) {
      await settle({
        inbox: sendOwnEnvelope(inbox.sink, inbox.target.provider, envelope),
        provider: provider.sink.send(provider.target.provider, envelope)
      })
      return toSendResult(rateLimits())
    }
  }
}

interface Copy extends EnvelopeWriter {
  /** Error of an earlier write, after which nothing more is written. */
  readonly error: Error | undefined
}

/** Begins a copy whose failed write does not end the other copy; `commit` rejects with the error. */
function beginCopy({ sink, target }: Side): Copy {
  const writer = sink.begin(target.provider)
  let error: Error | undefined
  const fail = (reason: unknown) => {
    error = reason as Error
    writer.abort()
  }
  return {
    get error() {
      return error
    },
    write(chunk) {
      if (error) return undefined
      try {
        return writer.write(chunk)?.catch(fail)
      } catch (reason) {
        fail(reason)
        return undefined
      }
    },
    async commit(meta) {
      if (error) throw error
      await writer.commit(meta)
    },
    abort: () => writer.abort()
  }
}

/** Returns a function that logs and counts envelopes that one of two receivers did not store. */
export function createMissReport(app: FastifyInstance): DualSinkOptions['onMissed'] {
  const missed = findMetrics(app)?.counter({
    name: 'monitoring_missed_envelopes_total',
    help: 'Envelopes that only one of two receivers stored, by the receiver that did not.',
    labelNames: ['receiver']
  })
  return (receiver, err) => {
    missed?.inc({ receiver })
    app.log.error({ code: (err as { code?: string }).code, err, receiver }, 'envelope not stored by one receiver')
  }
}
