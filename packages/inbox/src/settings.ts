import { toAtLeast, toBytes, toFlag, toNumber, toSecret, type Parser } from '@hull/common/settings/values.ts'
import { setting } from '@hull/common/settings/settings.ts'

const toSmtpUrl: Parser<string> = (text) => {
  if (!/^smtps?:\/\/./.test(text) || !URL.canParse(text)) throw new Error('a URL that begins with smtp:// or smtps://')
  return text
}

const toSender: Parser<string> = (text) => {
  if (!/^(?:[^<>\r\n]*<)?[^\s<>@]+@[^\s<>@]+>?$/.test(text)) throw new Error('a mail address, with or without a name')
  return text
}

/** Settings of the inbox, from environment variables. */
export const INBOX_SETTINGS = {
  inbox: setting({
    variable: 'INBOX',
    fallback: 'true',
    meaning: 'Whether the inbox stores errors and traces if SENTRY_DSN is not set. If off, nothing is collected.',
    parse: toFlag
  }),
  inboxPassword: setting({
    variable: 'INBOX_PASSWORD',
    otherwise: 'none: a local start prints a sign-in link; elsewhere /inbox is 404',
    secret: true,
    meaning:
      'Password that signs in to the inbox, at least 12 characters. A change ends the sessions that the old password opened.',
    parse: toSecret(12)
  }),
  inboxRetentionDays: setting({
    variable: 'INBOX_RETENTION_DAYS',
    fallback: '30',
    meaning: 'Days that the inbox keeps data.',
    parse: toNumber(1, 3_650)
  }),
  inboxMaxBytes: setting({
    variable: 'INBOX_MAX_BYTES',
    fallback: '2GiB',
    meaning: 'Largest size of the inbox in DATA_DIR, at least 16MiB. Near it, the oldest data is deleted.',
    parse: toAtLeast(toBytes, 16 * 1024 ** 2, '16MiB or more')
  }),
  inboxKeyRate: setting({
    variable: 'INBOX_KEY_RATE',
    fallback: '6000',
    meaning:
      'Envelopes per minute that one DSN key may send to /api, a third of them at once. Above it transactions are refused first, errors at four times the rate. 0 is no limit.',
    parse: toNumber(0, 1_000_000)
  }),
  inboxSmtpUrl: setting({
    variable: 'INBOX_SMTP_URL',
    otherwise: 'none: alerts cannot be mailed',
    secret: true,
    meaning: 'Mail server for alerts, such as smtps://user:password@mail.example.',
    parse: toSmtpUrl
  }),
  inboxMailFrom: setting({
    variable: 'INBOX_MAIL_FROM',
    otherwise: 'none: alerts cannot be mailed',
    meaning: 'Sender of alerts by mail, such as Inbox <inbox@shop.example>.',
    parse: toSender
  }),
  inboxPrivateTargets: setting({
    variable: 'INBOX_PRIVATE_TARGETS',
    fallback: 'false',
    meaning: 'Whether alerts may be sent to private addresses, such as a chat server in your network.',
    parse: toFlag
  })
}
