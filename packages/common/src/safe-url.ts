/** Any origin will do: it only tells what stays here from what leaves. */
const HERE = 'http://here.invalid'

/**
 * The path, query and hash of `to` when it stays on this origin, else undefined.
 * `//host`, `/\host`, tabs and newlines inside, `javascript:` and absolute URLs do not.
 */
export function toOwnPath(to: string): string | undefined {
  if (!to.startsWith('/') || !URL.canParse(to, HERE)) return undefined
  const url = new URL(to, HERE)
  // `/.//host` is normalised to `//host`, which a browser would read as another origin
  return url.origin === HERE && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : undefined
}

/** `to` as an absolute http or https URL, else undefined. */
export function toWebUrl(to: string): string | undefined {
  if (!URL.canParse(to)) return undefined
  const url = new URL(to)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined
}

/**
 * Where `redirect(to, { external })` leads: a path of this origin, or with `external` an absolute URL.
 * @returns undefined for a redirect that neither side follows: APP_REDIRECT_UNSAFE
 */
export const toRedirectTarget = (to: string, external: boolean): string | undefined =>
  toOwnPath(to) ?? (external ? toWebUrl(to) : undefined)
