import { toAtLeast, toBytes, toFlag, toNumber, toSecret } from '@hull/common/settings/values.ts'
import { setting } from '@hull/common/settings/settings.ts'

/** Settings of the inbox, as the environment has them. */
export const INBOX_SETTINGS = {
  inbox: setting({
    variable: 'INBOX',
    fallback: 'true',
    meaning: 'Whether the inbox stores errors and traces where SENTRY_DSN is not set; if not, nothing is collected.',
    parse: toFlag
  }),
  inboxPassword: setting({
    variable: 'INBOX_PASSWORD',
    otherwise: 'none: a local start prints a link to sign in by; elsewhere /inbox is 404',
    secret: true,
    meaning: 'Password that signs in to the inbox, at least 12 characters. A change ends the sessions opened by it.',
    parse: toSecret(12)
  }),
  inboxRetentionDays: setting({
    variable: 'INBOX_RETENTION_DAYS',
    fallback: '30',
    meaning: 'Days for which the inbox keeps what came.',
    parse: toNumber(1, 3_650)
  }),
  inboxMaxBytes: setting({
    variable: 'INBOX_MAX_BYTES',
    fallback: '2GiB',
    meaning:
      'Size of the inbox in DATA_DIR, past which the oldest goes. Plain numbers are bytes; MiB and GiB work too.',
    parse: toAtLeast(toBytes, 16 * 1024 ** 2, '16MiB or more')
  }),
  inboxKeyRate: setting({
    variable: 'INBOX_KEY_RATE',
    fallback: '6000',
    meaning:
      'Envelopes a minute that come to /api by one DSN key, a third of them at once; past it transactions are refused first, errors at four times the rate. 0 is off.',
    parse: toNumber(0, 1_000_000)
  })
}
