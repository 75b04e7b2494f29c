import { createHmac, randomBytes } from 'node:crypto'
import { SECOND } from '@hull/common/time.ts'
import type { AlertMessage } from './types.ts'

/*
 * Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md), so
 * that receivers can verify messages with a library of their language.
 */

const PREFIX = 'whsec_'

/** Creates the secret of a webhook. */
export const createSecret = (): string => PREFIX + randomBytes(32).toString('base64')

/** Body and headers of a message for a webhook. @param now milliseconds since the epoch */
export function toWebhookRequest(message: AlertMessage, secret: string, now: number) {
  const body = JSON.stringify(message)
  const timestamp = String(Math.floor(now / SECOND))
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${message.id}.${timestamp}.${body}`).digest('base64')
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': message.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`
    }
  }
}
