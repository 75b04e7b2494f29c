import { createError } from '@hull/common/create-error.ts'

/* Coded errors of monitoring: code, sentence, status. docs/errors.md explains each. */

// use of Sentry's SDK that has no effect, logged
export const TelemetrySecondInit = createError<[]>(
  'APP_TELEMETRY_SECOND_INIT',
  'Sentry.init() was called, and has no effect: the server has started the SDK already. Remove the call; set SENTRY_DSN, RELEASE, ENVIRONMENT and TRACES_SAMPLE_RATE instead, and add integrations with Sentry.addIntegration()',
  500
)
export const TelemetryOtherVersion = createError<[other: string, own: string]>(
  'APP_TELEMETRY_OTHER_VERSION',
  'Version %s of the Sentry SDK is in use, and its reports are lost: install @sentry/node %s exactly, the version of the server, and remove the other',
  500
)

// the tunnel, refused at the start
export const MonitoringAlias = createError<[alias: string]>('APP_MONITORING_ALIAS', 'The second path of the tunnel, %s, is the address of another route: set TUNNEL_ALIAS, or the option `alias`, to a path of its own', 500)

// the tunnel
export const SpoolUnavailable = createError<[options?: ErrorOptions]>('APP_MONITORING_SPOOL_UNAVAILABLE', 'Envelopes cannot be stored at the moment; try again later', 503)
export const MonitoringMalformed = createError<[what: string]>('APP_MONITORING_MALFORMED', 'The envelope cannot be read: %s', 400)
export const MonitoringForeignDsn = createError('APP_MONITORING_FOREIGN_DSN', 'The envelope is for a DSN that is not accepted here: use the DSN of the server, or add this one to TUNNEL_DSNS', 403)
export const MonitoringCrossSite = createError('APP_MONITORING_CROSS_SITE', 'Envelopes are accepted only from pages of this site', 403)
export const MonitoringMethod = createError<[accepted: string, method: string]>('APP_MONITORING_METHOD', 'This address accepts %s, not %s', 405)
export const MonitoringTooLarge = createError<[what: string]>('APP_MONITORING_TOO_LARGE', 'The envelope is too large: %s', 413)
export const MonitoringCoding = createError('APP_MONITORING_CODING', 'The Content-Encoding is not accepted: send gzip, deflate, br or zstd, or none', 415)
export const MonitoringTooMany = createError('APP_MONITORING_TOO_MANY', 'Too many envelopes came from this address; try again in a moment', 429)
