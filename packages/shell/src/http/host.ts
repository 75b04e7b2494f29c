/** A registered name or IPv4 address, or an IPv6 address in brackets; then a port (RFC 9110 §4.2.1, RFC 3986 §3.2.2). */
const HOST = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i

/** The host that was checked last: nearly every request is for the same one. */
let lastValid = ''

/** Whether a `Host` header has one host and possibly a port, so that an origin can be made from it. */
export function isHost(host: string): boolean {
  if (host === lastValid && host !== '') return true
  if (!HOST.test(host) || !URL.canParse(`http://${host}`)) return false
  lastValid = host
  return true
}

/** A request target in absolute form: its authority, and path and query. */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/is

/**
 * Takes a target in absolute form apart, as a client sends it to what it believes to be a proxy (RFC 9112 §3.2.2).
 * @returns undefined for a target in another form
 */
export function splitAbsoluteForm(target: string): { host: string; url: string } | undefined {
  const match = ABSOLUTE_FORM.exec(target)
  if (!match) return undefined
  const [, host = '', rest = ''] = match
  return { host, url: rest.startsWith('/') ? rest : `/${rest}` }
}
