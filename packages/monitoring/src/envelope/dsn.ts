/** The parts of a DSN that tell where envelopes go and for whom. */
export interface Dsn {
  protocol: 'http' | 'https'
  publicKey: string
  /** Host name in lower case, with the port unless it is the protocol's own. */
  host: string
  /** Path before the project, without a slash at its end: empty, or such as `/sentry`. */
  path: string
  project: string
}

/** Characters; real ones have about a hundred. A guess. */
const MAX_DSN_LENGTH = 2_048

/**
 * Reads a DSN: `https://<public key>@<host><path>/<project>`. The secret that old ones carry after the key is passed
 * over: SDKs do not send it.
 * @returns undefined for what is none
 * @see https://develop.sentry.dev/sdk/overview/#parsing-the-dsn
 */
export function parseDsn(text: string): Dsn | undefined {
  if (text.length > MAX_DSN_LENGTH || !/^https?:\/\/[\w:]+@[^\s\\?#@]+$/i.test(text) || !URL.canParse(text)) return
  const { protocol, username, host, pathname } = new URL(text)
  const [, path, project] = /^((?:\/[\w.~-]+)*)\/(\d+)\/?$/.exec(pathname) ?? []
  if (!/^\w+$/.test(username) || path === undefined || project === undefined) return
  return { protocol: protocol === 'https:' ? 'https' : 'http', publicKey: username, host, path, project }
}

/** One spelling for all of the same DSN. */
const toKey = ({ protocol, publicKey, host, path, project }: Dsn) =>
  `${protocol}://${publicKey}@${host}${path}/${project}`

/** Whose envelopes are taken, and who takes them. */
export interface DsnTarget {
  /** As clients are given it; what an envelope names once it was taken. */
  dsn: string
  /** DSN of the provider. Another one than `dsn` where the provider has many clients by one way. */
  provider: string
}

/**
 * The DSNs whose envelopes are taken.
 * @param dsns as configured; a text by itself is its own provider
 * @returns finds the one that is the same as another text in every part, the protocol among them: http and https are two
 * servers, and an SDK sends the very DSN that it was given
 * @throws Error for one that is no DSN
 */
export function createDsnList(dsns: ReadonlyArray<string | DsnTarget>): (text?: string) => DsnTarget | undefined {
  const allowed = new Map<string, DsnTarget>()
  for (const one of dsns) {
    const target = typeof one === 'string' ? { dsn: one, provider: one } : one
    const dsn = parseDsn(target.dsn)
    if (!dsn) throw new Error('a DSN is https://<public key>@<host>/<project>')
    allowed.set(target.dsn, target)
    allowed.set(toKey(dsn), target)
  }
  return function findTarget(text = '') {
    const known = allowed.get(text)
    if (known !== undefined) return known
    const dsn = parseDsn(text)
    return dsn && allowed.get(toKey(dsn))
  }
}
