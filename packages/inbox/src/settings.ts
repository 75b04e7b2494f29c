import { join } from 'node:path'
import { ConfigInvalid } from '@hull/common/errors.ts'
import {
  toAtLeast,
  toBytes,
  toFlag,
  toNumber,
  toSecret,
  toText,
  toUrlOf,
  type Parser
} from '@hull/common/settings/values.ts'
import type { OidcOptions } from '@hull/common/http/oidc.ts'
import { setting, type Values } from '@hull/common/settings/settings.ts'
import { parseGroupRoles, type RolesByGroup } from './access/group-roles.ts'

const toKey: Parser<string> = (text) => {
  if (!/^[\da-f]{32}$/.test(text)) throw new Error('32 hex digits in lower case')
  return text
}

const toSender: Parser<string> = (text) => {
  if (!/^(?:[^<>\r\n]*<)?[^\s<>@]+@[^\s<>@]+>?$/.test(text)) throw new Error('a mail address, with or without a name')
  return text
}

const toIssuer: Parser<string> = (text) => {
  if (!/^https?:\/\/[^?#\s]+$/.test(text) || !URL.canParse(text))
    throw new Error('the issuer as the provider writes it, such as https://login.example')
  return text
}

/** Settings of the inbox, from environment variables. */
export const INBOX_SETTINGS = {
  inbox: setting({
    variable: 'INBOX',
    otherwise: 'on, unless SENTRY_DSN is set',
    meaning:
      'Whether the inbox stores errors and traces. With on and SENTRY_DSN, both receive everything. With off and without SENTRY_DSN, nothing is collected.',
    parse: toFlag
  }),
  inboxPassword: setting({
    variable: 'INBOX_PASSWORD',
    otherwise: 'none: a local start prints a sign-in link; elsewhere /inbox is 404, unless INBOX_OIDC_ISSUER is set',
    secret: true,
    meaning:
      'Password that signs in to the inbox, at least 12 characters. A change ends the sessions that the old password opened.',
    parse: toSecret(12)
  }),
  inboxOidcIssuer: setting({
    variable: 'INBOX_OIDC_ISSUER',
    otherwise: 'none: people do not sign in at a provider',
    meaning: 'Issuer of the OpenID Connect provider at which people sign in to the inbox.',
    parse: toIssuer
  }),
  inboxOidcClientId: setting({
    variable: 'INBOX_OIDC_CLIENT_ID',
    otherwise: 'none: required with INBOX_OIDC_ISSUER',
    meaning: 'Client id of the inbox at the provider.',
    parse: toText
  }),
  inboxOidcClientSecret: setting({
    variable: 'INBOX_OIDC_CLIENT_SECRET',
    otherwise: 'none: the inbox is a public client, which has no secret',
    secret: true,
    meaning: 'Client secret of the inbox at the provider.',
    parse: toText
  }),
  inboxOidcRoles: setting({
    variable: 'INBOX_OIDC_ROLES',
    otherwise: 'none: required with INBOX_OIDC_ISSUER',
    meaning:
      'Role of each group at the provider (viewer, member, admin or none), such as inbox-admins=admin,shop-team=2:member,*=viewer. A number before the role limits it to one project: the number at the end of its DSN. * is everybody. Of several roles, the highest counts. With none, a person sees only the projects that another group or an admin adds.',
    parse: parseGroupRoles
  }),
  inboxOidcClaim: setting({
    variable: 'INBOX_OIDC_CLAIM',
    fallback: 'groups',
    meaning: 'Claim of the provider that lists the groups of a person.',
    parse: toText
  }),
  inboxOidcScope: setting({
    variable: 'INBOX_OIDC_SCOPE',
    fallback: 'openid profile email',
    meaning: 'Scopes to request from the provider, separated by spaces.',
    parse: toText
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
    meaning:
      'Largest size of the inbox in DATA_DIR, at least 16MiB. Near it, the oldest data is deleted. An inbox in DATABASE_URL has no such limit.',
    parse: toAtLeast(toBytes, 16 * 1024 ** 2, '16MiB or more')
  }),
  inboxAttachmentBytes: setting({
    variable: 'INBOX_ATTACHMENT_BYTES',
    fallback: '1MiB',
    meaning: 'Largest attachment that the inbox stores. Of a larger one, only name and size are stored.',
    parse: toBytes
  }),
  inboxAttachments: setting({
    variable: 'INBOX_ATTACHMENTS',
    fallback: '10',
    meaning: 'Maximum attachments of one event that the inbox stores.',
    parse: toNumber(0, 100)
  }),
  inboxProjectAttachmentBytes: setting({
    variable: 'INBOX_PROJECT_ATTACHMENT_BYTES',
    fallback: '256MiB',
    meaning: 'Bytes of attachments that one project keeps. Above it, the oldest are deleted; their names stay.',
    parse: toBytes
  }),
  inboxKey: setting({
    variable: 'INBOX_KEY',
    otherwise: 'generated once, and stored in the inbox',
    secret: true,
    meaning:
      'Key in the DSN of the first project, 32 hex digits, so that the DSN is known before the inbox starts: https://<key>@inbox.example/1. It encrypts nothing.',
    parse: toKey
  }),
  inboxKeyRate: setting({
    variable: 'INBOX_KEY_RATE',
    fallback: '6000',
    meaning:
      'Envelopes per minute that one DSN key may send to /api, a third of them at once. Above it transactions are refused first, errors at four times the rate. 0 is no limit.',
    parse: toNumber(0, 1_000_000)
  }),
  inboxUploadMaxBytes: setting({
    variable: 'INBOX_UPLOAD_MAX_BYTES',
    fallback: '64MiB',
    meaning:
      'Largest bundle of source maps that sentry-cli or a bundler plugin may send, at least 1MiB; in any case at most a quarter of INBOX_MAX_BYTES. Unfinished uploads take at most twice as much.',
    parse: toAtLeast(toBytes, 1024 ** 2, '1MiB or more')
  }),
  inboxSmtpUrl: setting({
    variable: 'INBOX_SMTP_URL',
    otherwise: 'none: alerts cannot be mailed',
    secret: true,
    meaning: 'Mail server for alerts, such as smtps://user:password@mail.example.',
    parse: toUrlOf('smtp:', 'smtps:')
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

/** Converts the configuration to the option `settings` of `inbox`; add the release and the folders of the project. */
export const toInboxSettings = (
  config: Values<typeof INBOX_SETTINGS> & {
    dataDir: string
    databaseUrl?: string | undefined
    spoolMaxBytes: number
    spoolMaxAge: number
    releaseCommit?: string | undefined
  }
) => ({
  file: join(config.dataDir, 'inbox.db'),
  database: config.databaseUrl,
  spool: { maxBytes: config.spoolMaxBytes, maxAge: config.spoolMaxAge },
  maxBytes: config.inboxMaxBytes,
  retentionDays: config.inboxRetentionDays,
  key: config.inboxKey,
  attachments: {
    maxBytes: config.inboxAttachmentBytes,
    perEvent: config.inboxAttachments,
    perProject: config.inboxProjectAttachmentBytes
  },
  commit: config.releaseCommit
})

/** Whether the application has replicas (DATABASE_URL or REDIS_URL) without SESSION_SECRET, so each has a secret of its own. */
export const hasOwnSecret = (config: {
  sessionSecret?: unknown
  databaseUrl?: string | undefined
  redisUrl?: string | undefined
}): boolean => config.sessionSecret === undefined && (config.databaseUrl ?? config.redisUrl) !== undefined

export interface InboxOidcOptions extends OidcOptions {
  /** Claim that lists the groups of a person. */
  claim: string
  roles: RolesByGroup
}

/**
 * Returns the options of the provider; undefined without one.
 * @throws ConfigInvalid if some of the variables are missing that are only used together
 */
export function toInboxOidc(
  config: Pick<Values<typeof INBOX_SETTINGS>, `inboxOidc${string}` & keyof typeof INBOX_SETTINGS>
): InboxOidcOptions | undefined {
  const { inboxOidcIssuer: issuer, inboxOidcClientId: clientId, inboxOidcRoles: roles } = config
  if (issuer !== undefined && clientId !== undefined && roles !== undefined) {
    const { inboxOidcClientSecret: clientSecret, inboxOidcClaim: claim, inboxOidcScope: scope } = config
    return { issuer, clientId, clientSecret, scope, roles, claim }
  }
  const variables = Object.entries({
    INBOX_OIDC_ISSUER: issuer,
    INBOX_OIDC_CLIENT_ID: clientId,
    INBOX_OIDC_ROLES: roles
  })
  const given = variables.find(([, value]) => value !== undefined)
  if (!given) return undefined
  const missing = variables.filter(([, value]) => value === undefined)
  throw new ConfigInvalid(missing.map(([variable]) => `${variable}: expected with ${given[0]}`).join('\n'))
}

/** Converts the configuration to options of `inboxPages`. @throws ConfigInvalid if a variable of the provider is missing */
export const toInboxPagesOptions = (config: Values<typeof INBOX_SETTINGS>) => ({
  password: config.inboxPassword,
  keyRate: config.inboxKeyRate,
  // At most a quarter of the inbox, so that one upload cannot push out all events.
  maxBundleBytes: Math.min(config.inboxUploadMaxBytes, config.inboxMaxBytes / 4),
  privateTargets: config.inboxPrivateTargets,
  smtpUrl: config.inboxSmtpUrl,
  mailFrom: config.inboxMailFrom,
  oidc: toInboxOidc(config)
})
