import {
  DeliveryFailed,
  type Deliverer,
  type EnvelopeSink,
  type LocalReceiver,
  type SpooledEnvelope
} from '@hull/monitoring'
import { INBOX_DSN, INBOX_PATH, OWN_TARGET } from './addresses.ts'
import { InboxKeyUnknown } from './errors.ts'
import type { Inbox } from './store/inbox.ts'

/** Returns the inbox as the receiver of envelopes that @hull/monitoring expects. */
export const toReceiver = (inbox: Inbox): LocalReceiver => ({
  target: OWN_TARGET,
  sink: inbox.sink,
  provider: toProvider(inbox.sink),
  path: INBOX_PATH
})

/** Returns the inbox as the provider of a spool's envelopes. */
export const toProvider = (sink: Pick<EnvelopeSink, 'accept'>): LocalReceiver['provider'] => ({
  dsn: INBOX_DSN,
  deliverer: toDeliverer(sink)
})

/** Returns the deliverer from a spool to the inbox. */
export function toDeliverer(sink: Pick<EnvelopeSink, 'accept'>): Deliverer {
  return {
    async deliver(envelope, signal) {
      const body = await readBody(envelope)
      signal.throwIfAborted()
      try {
        await sink.accept({ meta: envelope.meta, body })
      } catch (error) {
        if (error instanceof InboxKeyUnknown)
          throw new DeliveryFailed('refused', error.message, { cause: error, answered: true })
        throw new DeliveryFailed('failed', (error as Error).message, { cause: error })
      }
      return undefined
    }
  }
}

async function readBody({ body, bytes, size }: SpooledEnvelope): Promise<Uint8Array> {
  if (bytes) return bytes
  const pieces: Uint8Array[] = []
  for await (const piece of body()) pieces.push(piece)
  return Buffer.concat(pieces, size)
}
