import { FetchUrl } from '../errors.ts'

/**
 * Returns `input` as an absolute URL without fragment.
 * @throws APP_FETCH_URL for a scheme other than http and https, and for userinfo
 */
export function parseAddress(input: string | URL, base: string | URL): URL {
  let url
  try {
    url = new URL(input, base)
  } catch (cause) {
    throw new FetchUrl(String(input).replace(/[?#].*/s, ''), { cause })
  }
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '' || url.password !== '') {
    throw new FetchUrl(toSafeText(url))
  }
  url.hash = ''
  return url
}

/** Returns the address for logs and messages: without user name and password, and only the names of the query. */
export function toSafeText(url: URL): string {
  const names = [...url.searchParams.keys()].map((name) => `${encodeURIComponent(name)}=`)
  const authority = url.host === '' ? '' : `//${url.host}`
  return `${url.protocol}${authority}${url.pathname}${names.length === 0 ? '' : `?${names.join('&')}`}`
}
