import { AlertFailed } from './alert-failed.ts'
import { toDiscordBody, toSlackBody, toTeamsBody } from './chat.ts'
import { postToTarget } from './http-target.ts'
import { sendMail, type MailOptions } from './mail.ts'
import type { ChannelKind, DueMessage } from './types.ts'
import { toWebhookRequest } from './webhook.ts'

export interface SendOptions {
  /** Whether a target may have a private address. */
  allowPrivate: boolean
  /** The mail server. Undefined if none is set. */
  mail?: MailOptions
  /** Origin of the links in messages. @default messages have no links */
  baseUrl?: string
  /** Milliseconds since the epoch by the machine's clock. */
  now: () => number
}

type Sender = (due: DueMessage, options: SendOptions & { signal: AbortSignal }) => Promise<void>

const JSON_TYPE = { 'content-type': 'application/json' }

const SENDERS: Record<ChannelKind, Sender> = {
  webhook: ({ message, channel }, { allowPrivate, now, signal }) =>
    postToTarget(channel.target, { ...toWebhookRequest(message, channel.secret, now()), allowPrivate, signal }),
  slack: ({ message, channel }, { allowPrivate, signal }) =>
    postToTarget(channel.target, { headers: JSON_TYPE, body: toSlackBody(message), allowPrivate, signal }),
  discord: ({ message, channel }, { allowPrivate, signal }) =>
    postToTarget(channel.target, { headers: JSON_TYPE, body: toDiscordBody(message), allowPrivate, signal }),
  teams: ({ message, channel }, { allowPrivate, signal }) =>
    postToTarget(channel.target, { headers: JSON_TYPE, body: toTeamsBody(message), allowPrivate, signal }),
  async mail(due, { mail, ...options }) {
    if (!mail) throw new AlertFailed('No mail server is set. Set INBOX_SMTP_URL and INBOX_MAIL_FROM.')
    await sendMail(due, mail, options)
  }
}

/** Sends a message once. @throws AlertFailed */
export const sendMessage = (due: DueMessage, options: SendOptions & { signal: AbortSignal }): Promise<void> =>
  SENDERS[due.channel.kind](due, options)
