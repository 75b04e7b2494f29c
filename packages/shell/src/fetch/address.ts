import { FetchUrl } from '../errors.ts'

/** `input` as an absolute URL without fragment. Throws APP_FETCH_URL on any scheme but http and https, and on userinfo. */
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

/** The address for logs and messages: no user name, no password, and of the query the names alone. */
export function toSafeText(url: URL): string {
  const names = [...url.searchParams.keys()].map((name) => `${encodeURIComponent(name)}=`)
  const authority = url.host === '' ? '' : `//${url.host}`
  return `${url.protocol}${authority}${url.pathname}${names.length === 0 ? '' : `?${names.join('&')}`}`
}
