import type { HeadMeta, HeadTag } from '../routing/payload.ts'

/* Tags of a page's meta, the same as those of packages/shell/src/render/head.ts: each has `data-head`. */

/** The title of pages and errors. React puts that of a component before it, which then counts. */
let ownTitle = typeof document === 'undefined' ? null : document.head.querySelector('title')

export function setTitle(title = ''): void {
  if (title) ownTitle ??= document.head.appendChild(document.createElement('title'))
  if (ownTitle) ownTitle.textContent = title
}

/** Replaces the last page's title and tags. */
export function applyHead({ title, description, canonical, robots, tags, html, body }: HeadMeta): void {
  setTitle(title)
  for (const element of document.head.querySelectorAll('[data-head]')) element.remove()
  if (description !== undefined) addTag('meta', { name: 'description', content: description })
  if (robots !== undefined) addTag('meta', { name: 'robots', content: robots })
  if (canonical !== undefined) addTag('link', { rel: 'canonical', href: canonical })
  for (const tag of tags ?? []) addTag(...tag)
  setAttributes(document.documentElement, html)
  setAttributes(document.body, body)
}

/** Prefix of attributes that keep the values that a page's attributes replaced. */
const REPLACED_PREFIX = 'data-was-'

/** Restores the attributes that the last page replaced, and sets those of the next one. */
function setAttributes(element: Element, attributes: Record<string, string> = {}) {
  for (const name of element.getAttributeNames()) {
    if (!name.startsWith(REPLACED_PREFIX)) continue
    const value = element.getAttribute(name)
    element.removeAttribute(name)
    const own = name.slice(REPLACED_PREFIX.length)
    if (value) element.setAttribute(own, value)
    else element.removeAttribute(own)
  }
  for (const name in attributes) {
    element.setAttribute(REPLACED_PREFIX + name, element.getAttribute(name) ?? '')
    element.setAttribute(name, attributes[name]!)
  }
}

/** Returns the attributes that a page has set on an element of its document. */
export function readAttributes(element: Element): Record<string, string> {
  const names = element.getAttributeNames().filter((name) => name.startsWith(REPLACED_PREFIX))
  const own = names.map((name) => name.slice(REPLACED_PREFIX.length))
  return Object.fromEntries(own.map((name) => [name, element.getAttribute(name)!]))
}

/** Returns the title of an error that is shown in place of a page, by the title template of the page. */
export const toErrorTitle = ({ template = '%s' }: HeadMeta, title: string): string =>
  template.replaceAll('%s', () => title)

/** Adds a tag that stays until the next page. */
export function addTag(...[name, attributes, text = '']: HeadTag): void {
  const element = document.createElement(name)
  for (const key in attributes) element.setAttribute(key, attributes[key]!)
  element.setAttribute('data-head', '')
  element.textContent = text
  document.head.append(element)
}
