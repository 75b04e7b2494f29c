import { escapeHtml } from '../routing/escape-html.ts'
import type { HeadMeta } from '../routing/payload.ts'

/** Returns the tags of a page's meta. Each has `data-head`, so that a navigation can find and replace it. */
export function renderHead({ title, description, canonical, robots, tags }: HeadMeta): string {
  let head = title === undefined ? '' : `<title>${escapeHtml(title)}</title>`
  if (description !== undefined) head += metaTag('description', description)
  if (robots !== undefined) head += metaTag('robots', robots)
  if (canonical !== undefined) head += `<link rel="canonical" href="${escapeHtml(canonical)}" data-head>`
  for (const [name, attributes, text] of tags ?? []) {
    head += `<${name}${renderAttributes(attributes)} data-head>`
    if (text !== undefined) head += `${text}</${name}>`
  }
  return head
}

const renderAttributes = (attributes: Record<string, string>) =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeHtml(value)}"`)
    .join('')

/**
 * Sets attributes on an element that the template contains once. Their old values are kept in `data-was-<name>`, and a
 * navigation restores them. Classes are added to those of the template.
 */
export function withAttributes(markup: string, element: 'html' | 'body', attributes: Record<string, string>): string {
  return markup.replace(new RegExp(`<${element}([^>]*)>`), (_tag, own: string) => {
    let rest = own
    let set = ''
    for (const [name, value] of Object.entries(attributes)) {
      let was = ''
      rest = rest.replace(new RegExp(`\\s${name}="([^"]*)"`), (_attribute, old: string) => {
        was = old
        return ''
      })
      const kept = name === 'class' && was ? `${was} ` : ''
      set += ` ${name}="${kept}${escapeHtml(value)}" data-was-${name}="${was}"`
    }
    return `<${element}${rest}${set}>`
  })
}

const metaTag = (name: string, content: string) => `<meta name="${name}" content="${escapeHtml(content)}" data-head>`
