import type { FastifyBaseLogger } from 'fastify'
import fp from 'fastify-plugin'
import type { Broadcast } from '@hull/common/broadcast.ts'
import { trustedNow } from '@hull/common/trusted-clock.ts'
import { createRateLimiter } from '@hull/common/http/rate-limiter.ts'
import type { Metrics } from '@hull/common/metrics.ts'
import { findMetrics } from '@hull/common/optional-decorators.ts'
import { createAlertLoop, type AlertLoop, type AlertLoopOptions, type AttemptOutcome } from '../alerts/loop.ts'
import { CHANNEL_KINDS } from '../alerts/types.ts'
import type { Inbox } from '../store/inbox.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Sends the alerts of the inbox. Present if there is an inbox. */
    inboxAlerts: InboxAlerts
  }
}

export interface InboxAlerts extends Pick<AlertLoop, 'run' | 'now'> {
  /** Origin of the links in messages; undefined if BASE_URL is not set. */
  baseUrl: string | undefined
  /** Whether a mail server is set. */
  hasMail: boolean
  /** Counts a code for a mail address. @returns 0, or the milliseconds until the person can ask for another */
  takeCode: (person: number) => number
}

export interface InboxAlertsOptions {
  inbox: Inbox
  /** Mail server, `smtp://` or `smtps://`. @default mails are not sent */
  smtpUrl?: string
  /** Sender of mails. @default mails are not sent */
  mailFrom?: string
  /** Address of the application, for the links in messages. @default messages have no links */
  baseUrl?: string
  /** Whether alerts may be sent to private addresses. @default false */
  privateTargets?: boolean
  /** Counts the codes for mail addresses at all replicas together. @default one replica */
  broadcast?: Broadcast
}

/** Codes for mail addresses that a person can ask for at once; then one a minute. A guess. */
const CODES_AT_ONCE = 3

/** Sends alerts of the inbox after the server has started. */
export default fp<InboxAlertsOptions>(
  async function inboxAlerts(app, { inbox, baseUrl, smtpUrl, mailFrom, privateTargets = false, broadcast }) {
    warnAboutMail(app.log, { smtpUrl, mailFrom })
    const metrics = findMetrics(app)
    const loop = createAlertLoop({
      inbox,
      log: app.log,
      ...(metrics && { onAttempt: countAttempts(metrics) }),
      // A replica whose clock is ahead would take the messages that others are sending.
      now: () => trustedNow() - inbox.stats().clockAhead,
      allowPrivate: privateTargets,
      ...(baseUrl !== undefined && { baseUrl }),
      ...(smtpUrl !== undefined && mailFrom !== undefined && { mail: { url: smtpUrl, from: mailFrom } })
    })
    const takeToken = createRateLimiter({
      perMinute: 1,
      burst: CODES_AT_ONCE,
      replicas: broadcast && { broadcast, name: 'inbox-mail-codes' }
    })
    app.decorate('inboxAlerts', {
      run: loop.run,
      now: loop.now,
      baseUrl,
      hasMail: smtpUrl !== undefined && mailFrom !== undefined,
      takeCode: (person) => takeToken(String(person))
    })
    app.afterStart(loop.start)
    app.addHook('onClose', loop.close)
  },
  { name: 'inbox-alerts', fastify: '5.x', dependencies: ['inbox', 'after-start'] }
)

const OUTCOMES: readonly AttemptOutcome[] = ['delivered', 'failed']

function countAttempts({ counter }: Metrics): NonNullable<AlertLoopOptions['onAttempt']> {
  const attempts = counter({
    name: 'inbox_alert_attempts_total',
    help: 'Attempts to deliver alerts and mails about issues, by kind of channel and outcome.',
    labelNames: ['channel', 'outcome']
  })
  // Prometheus does not see the rise of a value that begins at 1.
  for (const channel of CHANNEL_KINDS) for (const outcome of OUTCOMES) attempts.inc({ channel, outcome }, 0)
  return (channel, outcome) => attempts.inc({ channel, outcome })
}

function warnAboutMail(
  log: FastifyBaseLogger,
  { smtpUrl, mailFrom }: Pick<InboxAlertsOptions, 'smtpUrl' | 'mailFrom'>
) {
  if ((smtpUrl === undefined) === (mailFrom === undefined)) return
  const [present, missing] =
    smtpUrl === undefined ? ['INBOX_MAIL_FROM', 'INBOX_SMTP_URL'] : ['INBOX_SMTP_URL', 'INBOX_MAIL_FROM']
  log.warn(`${present} is set without ${missing}, so the inbox sends no mails: set both, or neither`)
}
