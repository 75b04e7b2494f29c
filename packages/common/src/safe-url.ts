/** Any origin is suitable, because it only distinguishes own addresses from others. */
const HERE = 'http://here.invalid'

/**
 * Path, query and hash of `to` if it stays on this origin; otherwise undefined. `//host`, `/\host`, tabs and newlines,
 * `javascript:` and absolute URLs do not stay.
 */
export function toOwnPath(to: string): string | undefined {
  if (!to.startsWith('/') || !URL.canParse(to, HERE)) return undefined
  const url = new URL(to, HERE)
  // `/.//host` is normalised to `//host`, which a browser would read as another origin.
  return url.origin === HERE && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : undefined
}

/** `to` as an absolute http or https URL; otherwise undefined. */
export function toWebUrl(to: string): string | undefined {
  if (!URL.canParse(to)) return undefined
  const url = new URL(to)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined
}

/**
 * Target of `redirect(to, { external })`: a path of this origin, or with `external` an absolute URL.
 * @param from path and query of the page that redirects; `?…` and `#…` are relative to it
 * @returns undefined for a redirect that neither side follows: APP_REDIRECT_UNSAFE
 */
export function toRedirectTarget(to: string, external: boolean, from: string): string | undefined {
  if (/^[?#]/.test(to)) return toOwnPath(new URL(to, HERE + from).href.slice(HERE.length))
  return toOwnPath(to) ?? (external ? toWebUrl(to) : undefined)
}
