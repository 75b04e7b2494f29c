import { LRUCache } from 'lru-cache'
import MarkdownIt from 'markdown-it'
import { toVisibleText } from '@hull/common/visible-text.ts'

/** Addresses that a link in a comment may have: of the web, of mail, or of this server. */
const LINK = /^(?:https?:|mailto:|\/(?!\/))/i

/**
 * HTML in a comment is text. No image is loaded from elsewhere, no heading changes the outline of the page, and quotes
 * in quotes end after 20 levels: with more, some texts of 10,000 characters take 200 ms.
 */
const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true, maxNesting: 20 }).disable([
  'image',
  'heading',
  'lheading'
])
markdown.validateLink = (address) => LINK.test(address)
markdown.renderer.rules['link_open'] = (tokens, index, options, _env, self) => {
  tokens[index]!.attrSet('rel', 'nofollow noopener noreferrer')
  return self.renderToken(tokens, index, options)
}

/** A page with many comments is often shown again. */
const known = new LRUCache<string, string>({ max: 500 })

/** Converts the Markdown of a comment to HTML that is safe to show. */
export function toCommentHtml(text: string): string {
  const found = known.get(text)
  if (found !== undefined) return found
  const html = markdown.render(toVisibleText(text))
  known.set(text, html)
  return html
}
