/** Parts of a DSN: the address for envelopes, and their project. */
export interface Dsn {
  protocol: 'http' | 'https'
  publicKey: string
  /** Host name in lower case, with the port unless it is the protocol's default. */
  host: string
  /** Path before the project, without a trailing slash: empty, or for example `/sentry`. */
  path: string
  project: string
}

/** Maximum characters of a DSN; real ones have about a hundred. A guess. */
const MAX_DSN_LENGTH = 2_048

/**
 * Parses a DSN: `https://<public key>@<host><path>/<project>`. Ignores the secret after the key in old DSNs, which SDKs
 * do not send.
 * @returns undefined if the text is not a DSN
 * @see https://develop.sentry.dev/sdk/overview/#parsing-the-dsn
 */
export function parseDsn(text: string): Dsn | undefined {
  if (text.length > MAX_DSN_LENGTH || !/^https?:\/\/[\w:]+@[^\s\\?#@]+$/i.test(text) || !URL.canParse(text)) return
  const { protocol, username, host, pathname } = new URL(text)
  const [, path, project] = /^((?:\/[\w.~-]+)*)\/(\d+)\/?$/.exec(pathname) ?? []
  if (!/^\w+$/.test(username) || path === undefined || project === undefined) return
  return { protocol: protocol === 'https:' ? 'https' : 'http', publicKey: username, host, path, project }
}

/** Normal form of a DSN. */
const toKey = ({ protocol, publicKey, host, path, project }: Dsn) =>
  `${protocol}://${publicKey}@${host}${path}/${project}`

/** A DSN whose envelopes are accepted, and their provider. */
export interface DsnTarget {
  /** DSN for clients. Accepted envelopes have it in their header. */
  dsn: string
  /** DSN of the provider. Differs from `dsn` if the provider has many clients behind one DSN. */
  provider: string
}

/**
 * Creates a list of accepted DSNs.
 * @param dsns as configured; a text is its own provider. Of equal ones, the first counts
 * @returns function that finds the entry that equals a DSN in every part, including the protocol: http and https are
 * two servers, and an SDK sends exactly the DSN that it was given
 * @throws Error for an invalid DSN
 */
export function createDsnList(dsns: ReadonlyArray<string | DsnTarget>): (text?: string) => DsnTarget | undefined {
  const allowed = new Map<string, DsnTarget>()
  for (const one of dsns) {
    const target = typeof one === 'string' ? { dsn: one, provider: one } : one
    const dsn = parseDsn(target.dsn)
    if (!dsn) throw new Error('a DSN is https://<public key>@<host>/<project>')
    for (const spelling of [target.dsn, toKey(dsn)]) if (!allowed.has(spelling)) allowed.set(spelling, target)
  }
  return function findTarget(text = '') {
    const known = allowed.get(text)
    if (known !== undefined) return known
    const dsn = parseDsn(text)
    return dsn && allowed.get(toKey(dsn))
  }
}
