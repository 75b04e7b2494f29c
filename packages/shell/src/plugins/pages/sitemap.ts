import type { FastifyInstance } from 'fastify'
import type { SitemapEntry } from '../../client/contracts/page.ts'
import { PageInvalid } from '../../errors.ts'
import type { Page, Site } from '../../render/site.ts'

/**
 * Yields the addresses of all pages that export `sitemap`.
 * @throws PageInvalid if a `sitemap` or one of its entries is not valid
 */
export async function* listSitemap(app: FastifyInstance, site: Site): AsyncGenerator<SitemapEntry> {
  for await (const page of site.loadPages()) yield* listAddresses(app, page)
}

/** Yields the addresses that the `sitemap` of one page lists. @throws PageInvalid */
export async function* listAddresses(
  app: FastifyInstance,
  { module: { sitemap }, file, isDynamic, pattern: { path } }: Page
): AsyncGenerator<SitemapEntry> {
  if (sitemap === undefined) return
  if (typeof sitemap === 'function') {
    for await (const entry of await sitemap(app)) yield checkEntry(file, entry)
  } else if (sitemap === true && !isDynamic) yield { path }
  else throw new PageInvalid(file, TRUE_OR_FUNCTION)
}

const TRUE_OR_FUNCTION =
  '"sitemap" is true, or a function that returns the addresses of the page; an address with parameters needs the function'

function checkEntry(file: string, entry: SitemapEntry): SitemapEntry {
  const { path, lastModified } = entry
  if (typeof path !== 'string' || !path.startsWith('/') || path.startsWith('//'))
    throw new PageInvalid(file, 'an entry of "sitemap" has a path such as /items/7')
  if (lastModified !== undefined && !(lastModified instanceof Date && Number.isFinite(lastModified.getTime())))
    throw new PageInvalid(file, `"lastModified" of ${path} in "sitemap" is a valid Date`)
  return entry
}
