import { NONCE_PROPERTY } from '../routing/nonce.ts'
import { STYLESHEET } from './integrity.ts'

/** Placeholder of the nonce in a template. Vite writes it in tags that it adds. */
export const NONCE_PLACEHOLDER = '__CSP_NONCE__'

const HEAD_MARK = '<!-- head -->'
const HEAD_START = /<head[^>]*>/
const HEAD_END = '</head>'
const ROOT_MARK = '<div id="root"><!-- element --></div>'
const ENTRY_SCRIPT = /\s*<script type="module"[^>]*?src="([^"]*)"[^>]*><\/script>/g
const MODULE_PRELOAD = /\s*<link rel="modulepreload"[^>]*>/g

/** The parts of `client/index.html`. Each takes the document's nonce, or an empty one. */
export interface Template {
  /** Address of the browser's entry module. */
  entry: string
  /** Addresses of the stylesheets of every page. */
  stylesheets: string[]
  /** True if the template passes the nonce to scripts itself, as Vite's templates do in development. */
  hasNonceTag: boolean
  /**
   * From the doctype to the place of a page's own tags.
   * @param first markup for the start of the head
   */
  head: (nonce: string, first?: string) => string
  /** From the page's own tags to the root. */
  body: (nonce: string) => string
  /** Everything after the root. */
  close: (nonce: string) => string
}

/**
 * Splits a template that Vite has built or transformed. Removes the entry script: pages with script add it.
 * @param entrySource end of the entry's address before a build
 * @throws Error if a mark or the entry script is missing
 */
export function parseTemplate(html: string, entrySource: string): Template {
  const scripts = [...html.matchAll(ENTRY_SCRIPT)]
  const entry =
    scripts.find(([, src]) => src!.includes(entrySource)) ?? scripts.find(([, src]) => src!.includes('/assets/'))
  if (!entry) throw new Error(`client/index.html has no module script for ${entrySource}`)
  const clean = html.replace(entry[0], '').replace(MODULE_PRELOAD, '')
  const [start, rest] = splitAt(clean, HEAD_MARK)
  // A build adds the application's stylesheets at the end of the head; a page's own follow them.
  const [added] = splitAt(rest, HEAD_END)
  const [body, close] = splitAt(rest.slice(added.length), ROOT_MARK)
  const head = start.trimEnd() + '\n' + added.trim()
  return {
    entry: entry[1]!,
    stylesheets: [...head.matchAll(STYLESHEET)].map(([, href]) => href!),
    hasNonceTag: head.includes(`property="${NONCE_PROPERTY}"`),
    head: withFirst(head),
    body: withNonce(body.trim()),
    close: withNonce(close.trim() + '\n')
  }
}

function splitAt(source: string, mark: string): [string, string] {
  const at = source.indexOf(mark)
  if (at === -1) throw new Error(`client/index.html has no ${mark}`)
  return [source.slice(0, at), source.slice(at + mark.length)]
}

function withFirst(head: string): Template['head'] {
  const start = HEAD_START.exec(head)
  if (!start) throw new Error('client/index.html has no <head>')
  const at = start.index + start[0].length
  const before = head.slice(0, at)
  const after = withNonce(head.slice(at))
  return (nonce, first = '') => before + first + after(nonce)
}

function withNonce(source: string): (nonce: string) => string {
  const parts = source.split(NONCE_PLACEHOLDER)
  return parts.length === 1 ? () => source : (nonce) => parts.join(nonce)
}
