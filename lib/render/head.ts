import type { HeadMeta } from '../common/payload.ts'
import { escapeHtml } from './escape.ts'

/** The tags of a page's meta. Each carries `data-head`, by which a navigation finds and replaces them. */
export function renderHead({ title, description, canonical, robots, openGraph }: HeadMeta): string {
  let tags = title === undefined ? '' : `<title>${escapeHtml(title)}</title>`
  if (description !== undefined) tags += metaTag('name', 'description', description)
  if (robots !== undefined) tags += metaTag('name', 'robots', robots)
  if (canonical !== undefined) tags += `<link rel="canonical" href="${escapeHtml(canonical)}" data-head>`
  for (const property in openGraph) tags += metaTag('property', `og:${property}`, openGraph[property]!)
  return tags
}

const metaTag = (key: string, name: string, content: string) =>
  `<meta ${key}="${escapeHtml(name)}" content="${escapeHtml(content)}" data-head>`
