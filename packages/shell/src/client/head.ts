import type { HeadMeta } from '../routing/payload.ts'

/* Tags of a page's meta, the same as those of packages/shell/src/render/head.ts: each has `data-head`. */

/** Replaces the last page's title and tags. */
export function applyHead({ title = '', description, canonical, robots, openGraph, tags, html, body }: HeadMeta): void {
  document.title = title
  for (const element of document.head.querySelectorAll('[data-head]')) element.remove()
  if (description !== undefined) addTag('meta', { name: 'description', content: description })
  if (robots !== undefined) addTag('meta', { name: 'robots', content: robots })
  if (canonical !== undefined) addTag('link', { rel: 'canonical', href: canonical })
  for (const property in openGraph) addTag('meta', { property: `og:${property}`, content: openGraph[property]! })
  if (tags) for (const [name, attributes] of tags) addTag(name, attributes)
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

/** Adds a tag that stays until the next page. */
export function addTag(name: 'meta' | 'link', attributes: Record<string, string>): void {
  const element = document.createElement(name)
  for (const key in attributes) element.setAttribute(key, attributes[key]!)
  element.setAttribute('data-head', '')
  document.head.append(element)
}

/** Returns the title and tags of another document. */
export function readHead({ title, head }: Document): HeadMeta {
  const meta: HeadMeta = { title }
  for (const element of head.querySelectorAll('[data-head]')) {
    const content = element.getAttribute('content') ?? ''
    const name = element.getAttribute('name')
    const property = element.getAttribute('property')
    if (name === 'description' || name === 'robots') meta[name] = content
    else if (property?.startsWith('og:')) (meta.openGraph ??= {})[property.slice('og:'.length)] = content
    else
      (meta.tags ??= []).push([
        element.localName as 'meta',
        Object.fromEntries(element.getAttributeNames().map((key) => [key, element.getAttribute(key)!]))
      ])
  }
  return meta
}
