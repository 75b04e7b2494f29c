import { MINUTE } from '@hull/common/time.ts'
import { INBOX_DSN } from '../addresses.ts'
import type { StoreHealth } from '../queries/overview/health-types.ts'
import { LONG_WAIT, type Outcome, type TunnelState } from './finding.ts'

/** Name of the inbox among the providers of the spool, which may hold old envelopes for it. */
const OWN_LABEL = INBOX_DSN.replace(/^.*@/, '')

export function checkSpool(tunnel: TunnelState): Outcome {
  if (!tunnel.available)
    return {
      check: 'The spool cannot store envelopes',
      verdict: 'bad',
      says: 'The spool cannot be written: providers receive nothing. Envelopes that the inbox does not store too are answered with 503.',
      todo: 'The log has the reason. Check the free space in DATA_DIR.'
    }
  const failing = tunnel.providers.filter(({ breaker }) => breaker !== 'closed')
  if (failing.length > 0)
    return {
      check: failing.length === 1 ? 'A provider does not answer' : 'Providers do not answer',
      verdict: 'bad',
      says: `${failing.length === 1 ? 'One provider does' : `${failing.length} providers do`} not answer. Delivery is tried again every few seconds; ${tunnel.envelopes} envelopes are waiting.`,
      sample: failing.map(({ provider }) => provider).join(', '),
      todo: 'No envelope is lost until SPOOL_MAX_AGE or SPOOL_MAX_BYTES is reached.'
    }
  if (tunnel.oldestAge > LONG_WAIT)
    return {
      check: 'Delivery is behind',
      verdict: 'look',
      says: `${tunnel.envelopes} envelopes are waiting, the oldest for ${Math.round(tunnel.oldestAge / MINUTE)} minutes.`,
      todo: 'The queue should shrink by itself. If it does not, look at the log.'
    }
  const providers = tunnel.providers.map(({ provider }) => provider).filter((provider) => provider !== OWN_LABEL)
  return {
    verdict: 'good',
    says: 'No envelopes are waiting for these providers:',
    sample: providers.join(', ')
  }
}

export function checkAlerts({ deadAlerts: { messages, error } }: StoreHealth): Outcome {
  if (messages === 0) return { verdict: 'good', says: 'No message was given up in the last day.' }
  return {
    check: 'Alerts were not delivered',
    verdict: 'look',
    says: `${messages === 1 ? '1 message was' : `${messages.toLocaleString('en')} messages were`} given up in the last day, after a day of attempts. The newest failed with:`,
    ...(error !== undefined && { sample: error }),
    todo: 'Correct the address of the channel in Settings, Alerts, then send the messages again from its delivery log.'
  }
}
