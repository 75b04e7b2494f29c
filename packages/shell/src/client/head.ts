import type { HeadMeta } from '../routing/payload.ts'

/* The tags of a page's meta, as packages/shell/src/render/head.ts writes them into a document: each carries `data-head`. */

/** Shows a page's title and tags in place of the last one's. */
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

/** Name of the attribute that keeps what a page's own attribute has replaced. */
const WAS = 'data-was-'

/** Puts back what the last page has replaced, and sets what the next one asks for. */
function setAttributes(element: Element, attributes: Record<string, string> = {}) {
  for (const name of element.getAttributeNames()) {
    if (!name.startsWith(WAS)) continue
    const value = element.getAttribute(name)
    element.removeAttribute(name)
    const own = name.slice(WAS.length)
    if (value) element.setAttribute(own, value)
    else element.removeAttribute(own)
  }
  for (const name in attributes) {
    element.setAttribute(WAS + name, element.getAttribute(name) ?? '')
    element.setAttribute(name, attributes[name]!)
  }
}

/** Adds one such tag, until the next page. */
export function addTag(name: 'meta' | 'link', attributes: Record<string, string>): void {
  const element = document.createElement(name)
  for (const key in attributes) element.setAttribute(key, attributes[key]!)
  element.setAttribute('data-head', '')
  document.head.append(element)
}

/** The title and tags of another document. */
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
