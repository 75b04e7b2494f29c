/** Where a DSN's envelopes go, and who we say we are. */
export interface ProviderAddress {
  origin: string
  /** Path, from the origin. */
  path: string
  publicKey: string
  secretKey?: string
  /** Host and project, without a key: for logs and metrics. */
  label: string
}

/**
 * Takes a DSN apart: `{protocol}://{public key}@{host}{:port}{/path}/{project}`.
 * @throws TypeError that does not repeat the DSN, which may hold a secret
 * @see https://develop.sentry.dev/sdk/foundations/transport/authentication/
 */
export function parseDsn(dsn: string): ProviderAddress {
  const url = URL.canParse(dsn) ? new URL(dsn) : undefined
  const [, prefix = '', project] = /^(.*?)\/([^/]+)\/?$/.exec(url?.pathname ?? '') ?? []
  if (!url || !/^https?:$/.test(url.protocol) || !/^\w+$/.test(url.username) || !project || url.search || url.hash)
    throw new TypeError('a DSN reads https://<public key>@<host>/<project>')
  if (!/^\w*$/.test(url.password)) throw new TypeError('the secret key of a DSN is letters and digits')
  return {
    origin: url.origin,
    path: `${prefix}/api/${project}/envelope/`,
    publicKey: url.username,
    ...(url.password && { secretKey: url.password }),
    label: `${url.host}${prefix}/${project}`
  }
}
