import { toOwnPath, toWebUrl } from '@hull/common/safe-url.ts'

/**
 * Where a redirect leads: here, or to another origin by its whole URL. The fragment goes along (RFC 9110 §10.2.2).
 * @returns undefined for what no page may lead to
 */
export function redirectTarget(to: string, from: URL): URL | undefined {
  const target = toOwnPath(to) ?? toWebUrl(to)
  if (target === undefined) return undefined
  const url = new URL(target, from)
  if (!url.hash) url.hash = from.hash
  return url
}
