import { LRUCache } from 'lru-cache'
import MarkdownIt from 'markdown-it'
import { toVisibleText } from '@hull/common/visible-text.ts'

/** Addresses that a link in a comment may have: of the web, of mail, or of this server. */
const LINK = /^(?:https?:|mailto:|\/(?!\/))/i

/**
 * HTML in a comment is text. No image is loaded from elsewhere, and no heading changes the outline of the page. There are
 * no tables, because each missing cell of a row becomes HTML, and quotes in quotes end after 20 levels: otherwise some
 * texts of 10,000 characters take seconds, or 200 ms.
 */
const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true, maxNesting: 20 }).disable([
  'image',
  'heading',
  'lheading',
  'table'
])
markdown.validateLink = (address) => LINK.test(address)
markdown.renderer.rules['link_open'] = (tokens, index, options, _env, self) => {
  tokens[index]!.attrSet('rel', 'nofollow noopener noreferrer')
  return self.renderToken(tokens, index, options)
}

/** Maximum characters of HTML. A longer comment is shown as plain text. A guess: four times the longest text. */
const MAX_HTML = 40_000

/** A page with many comments is often shown again. The size is in characters. */
const known = new LRUCache<string, string>({
  max: 500,
  maxSize: 4_000_000,
  sizeCalculation: (html, text) => html.length + text.length
})

/** Converts the Markdown of a comment to HTML that is safe to show. */
export function toCommentHtml(text: string): string {
  const found = known.get(text)
  if (found !== undefined) return found
  const visible = toVisibleText(text)
  const rendered = markdown.render(visible)
  const html = rendered.length > MAX_HTML ? `<pre>${markdown.utils.escapeHtml(visible)}</pre>` : rendered
  known.set(text, html)
  return html
}
