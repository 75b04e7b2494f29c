import { parseDsn } from '../envelope/dsn.ts'

/** Address of the provider of a DSN, and the key that authenticates us. */
export interface ProviderAddress {
  origin: string
  /** Path of the endpoint for envelopes. */
  path: string
  publicKey: string
  /** Host and project without a key, for logs and metrics. */
  label: string
}

/**
 * Returns the address to send a DSN's envelopes to.
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
