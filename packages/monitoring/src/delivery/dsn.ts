import { parseDsn } from '../envelope/dsn.ts'

/** Where a DSN's envelopes go, and who we say we are. */
export interface ProviderAddress {
  origin: string
  /** Path, from the origin. */
  path: string
  publicKey: string
  /** Host and project, without a key: for logs and metrics. */
  label: string
}

/**
 * Where the envelopes of a DSN go.
 * @throws TypeError that does not repeat the DSN
 * @see https://develop.sentry.dev/sdk/foundations/transport/authentication/
 */
export function toProviderAddress(dsn: string): ProviderAddress {
  const parts = parseDsn(dsn)
  if (!parts) throw new TypeError('a DSN reads https://<public key>@<host>/<project>')
  const { protocol, host, path, project, publicKey } = parts
  return {
    origin: `${protocol}://${host}`,
    path: `${path}/api/${project}/envelope/`,
    publicKey,
    label: `${host}${path}/${project}`
  }
}
