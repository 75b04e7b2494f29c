import { postToTarget } from './http-target.ts'
import type { ChannelKind, DueMessage } from './types.ts'
import { toWebhookRequest } from './webhook.ts'

export interface SendOptions {
  /** Whether a target may have a private address. */
  allowPrivate: boolean
  /** Milliseconds since the epoch. */
  now: () => number
}

type Sender = (due: DueMessage, options: SendOptions & { signal: AbortSignal }) => Promise<void>

const SENDERS: Record<ChannelKind, Sender> = {
  webhook: ({ message, channel }, { allowPrivate, now, signal }) =>
    postToTarget(channel.target, { ...toWebhookRequest(message, channel.secret, now()), allowPrivate, signal })
}

/** Sends a message once. @throws DeliveryFailed */
export const sendMessage = (due: DueMessage, options: SendOptions & { signal: AbortSignal }): Promise<void> =>
  SENDERS[due.channel.kind](due, options)
