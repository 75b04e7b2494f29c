import { parseDsn } from './envelope/dsn.ts'
import {
  toAge,
  toBytes,
  toFlag,
  toNumber,
  toOrigins,
  toPlainPath,
  toPositive,
  toShare
} from '@hull/common/settings/values.ts'
import { setting } from '@hull/common/settings/settings.ts'

/** Settings of monitoring: the tunnel, the spool, errors and traces. */
export const MONITORING_SETTINGS = {
  sentryDsn: setting({
    variable: 'SENTRY_DSN',
    otherwise: 'none: errors and traces are not collected',
    meaning: 'DSN of a Sentry-compatible provider that receives errors and traces.',
    parse: toDsn
  }),
  tunnelDsns: setting({
    variable: 'TUNNEL_DSNS',
    otherwise: 'only the DSN in use',
    meaning: 'Comma-separated further DSNs whose envelopes the tunnel accepts.',
    parse: toDsns
  }),
  tunnelAlias: setting({
    variable: 'TUNNEL_ALIAS',
    otherwise: 'none',
    meaning: 'Second path of the tunnel, such as /news, for browsers whose content blockers block /monitoring.',
    parse: toPlainPath
  }),
  tunnelRate: setting({
    variable: 'TUNNEL_RATE',
    fallback: '600',
    meaning:
      'Envelopes per minute that one client address may send to /monitoring, a third of them at once; 0 is no limit.',
    parse: toNumber(0, 1_000_000)
  }),
  sendPii: setting({
    variable: 'SEND_PII',
    fallback: 'false',
    meaning: 'Whether errors and traces contain cookies, authorization, bodies, addresses and secrets in queries.',
    parse: toFlag
  }),
  tracesSampleRate: setting({
    variable: 'TRACES_SAMPLE_RATE',
    otherwise: '1 if HOST and BASE_URL are this machine, else 0.1',
    meaning: 'Share of the traces that begin here and are recorded, from 0 to 1.',
    parse: toShare
  }),
  traceTargets: setting({
    variable: 'TRACE_TARGETS',
    otherwise: 'the application only',
    meaning: 'Comma-separated origins of other services that receive trace headers, such as https://api.example.',
    parse: toOrigins
  }),
  spoolMaxBytes: setting({
    variable: 'SPOOL_MAX_BYTES',
    fallback: '256MiB',
    meaning:
      'Maximum size of the envelopes that wait in DATA_DIR for delivery, or for the database of the inbox. Above this size the oldest are dropped, replays and profiles first, errors last. The file takes at most twice as much.',
    parse: toPositive(toBytes)
  }),
  spoolMaxAge: setting({
    variable: 'SPOOL_MAX_AGE',
    fallback: '3d',
    meaning: 'Age at which an undelivered envelope is dropped.',
    parse: toPositive(toAge)
  })
}

function toDsn(text: string): string {
  if (!parseDsn(text)) throw new Error('a DSN, such as https://key@sentry.example/42')
  // In development, the SDK finds no project before a slash at the end, and sends nothing.
  return text.replace(/\/$/, '')
}

function toDsns(text: string): string[] {
  const dsns = text.split(',').map((dsn) => dsn.trim())
  if (!dsns.every(parseDsn)) throw new Error('DSNs separated by commas, such as https://key@sentry.example/42')
  return dsns
}
