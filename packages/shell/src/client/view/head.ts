import type { HeadMeta, HeadTag } from '../../routing/payload.ts'

/* Tags of a page's meta, the same as those of packages/shell/src/render/head.ts: each has `data-head`. */

/** The title of pages and errors. React puts that of a component before it, which then counts. */
let ownTitle = typeof document === 'undefined' ? null : document.head.querySelector('title')

export function setTitle(title = ''): void {
  if (title) ownTitle ??= document.head.appendChild(document.createElement('title'))
  if (ownTitle) ownTitle.textContent = title
}

/** Replaces the last page's title, tags and attributes. Elements that both pages have are not changed. */
export function applyHead(next: HeadMeta, last: HeadMeta): void {
  const { title, description, canonical, robots } = next
  setTitle(title)
  const tags: HeadTag[] = []
  if (description !== undefined) tags.push(['meta', { name: 'description', content: description }])
  if (robots !== undefined) tags.push(['meta', { name: 'robots', content: robots }])
  if (canonical !== undefined) tags.push(['link', { rel: 'canonical', href: canonical }])
  const added = [...tags, ...(next.tags ?? [])].map(createTag)
  for (const element of document.head.querySelectorAll('[data-head]')) {
    // A stylesheet that is removed and added again leaves the page unstyled meanwhile.
    const at = added.findIndex((tag) => tag.isEqualNode(element))
    if (at < 0) element.remove()
    else added.splice(at, 1)
  }
  document.head.append(...added)
  setAttributes(document.documentElement, next.html, last.html)
  setAttributes(document.body, next.body, last.body)
}

/** Whether the browser loads a document again at the time that a page's tags name. Only another document ends this. */
export const reloadsItself = ({ tags = [] }: HeadMeta): boolean =>
  tags.some(([, attributes]) => attributes['http-equiv']?.toLowerCase() === 'refresh')

/** Prefix of attributes that keep the values that a page's attributes replaced. */
const REPLACED_PREFIX = 'data-was-'

type Attributes = Record<string, string>

/** Restores the attributes that the last page replaced, and sets those of the next one. Classes of other code stay. */
function setAttributes(element: Element, next: Attributes = {}, last: Attributes = {}) {
  for (const name in last) {
    if (next[name] === last[name]) continue
    if (name === 'class') {
      element.classList.remove(...classesOf(last[name]!))
      continue
    }
    const value = element.getAttribute(REPLACED_PREFIX + name)
    element.removeAttribute(REPLACED_PREFIX + name)
    if (value) element.setAttribute(name, value)
    else element.removeAttribute(name)
  }
  for (const name in next) {
    if (next[name] === last[name]) continue
    if (name === 'class') {
      element.classList.add(...classesOf(next[name]!))
      continue
    }
    element.setAttribute(REPLACED_PREFIX + name, element.getAttribute(name) ?? '')
    element.setAttribute(name, next[name]!)
  }
}

const classesOf = (value: string): string[] => value.split(/\s+/).filter(Boolean)

/** Returns the attributes that a page has set on an element of its document. */
export function readAttributes(element: Element): Attributes {
  const own: Attributes = {}
  for (const replaced of element.getAttributeNames()) {
    if (!replaced.startsWith(REPLACED_PREFIX)) continue
    const name = replaced.slice(REPLACED_PREFIX.length)
    const value = element.getAttribute(name)!
    // The document's own classes come first.
    own[name] = name === 'class' ? value.slice(element.getAttribute(replaced)!.length) : value
  }
  return own
}

/** Returns the title of an error that is shown in place of a page, by the title template of the page. */
export const toErrorTitle = ({ template = '%s' }: HeadMeta, title: string): string =>
  template.replaceAll('%s', () => title)

/** Adds a tag that stays until the next page. */
export function addTag(...tag: HeadTag): void {
  document.head.append(createTag(tag))
}

function createTag([name, attributes, text = '']: HeadTag): HTMLElement {
  const element = document.createElement(name)
  for (const key in attributes) element.setAttribute(key, attributes[key]!)
  element.setAttribute('data-head', '')
  element.textContent = text
  return element
}
