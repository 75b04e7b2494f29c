import type { Meta } from '../client/contracts/meta.ts'
import type { HeadMeta, HeadTag } from './payload.ts'

type Refuse = (member: string) => Error
type Attributes = NonNullable<Meta['htmlAttrs']>

/** Members that {@link HeadMeta} contains unchanged. */
const PLAIN = new Set(['title', 'template', 'description', 'robots', 'tags', 'html', 'body'])
const WRITTEN = new Set([
  'canonical',
  'openGraph',
  'twitter',
  'alternates',
  'jsonLd',
  'titleTemplate',
  'meta',
  'link',
  'htmlAttrs',
  'bodyAttrs'
])

/** Attributes that only unhead uses. */
const NOT_WRITTEN = new Set(['key', 'tagPosition', 'tagPriority', 'tagDuplicateStrategy'])

/** Properties of Open Graph and of `twitter` that are addresses. */
const ADDRESSES = new Set(['image', 'url', 'video', 'audio'])

interface Options {
  /** Origin that visitors use and base path, for paths that must be absolute URLs. */
  origin: string
  /** Creates the error for any other member. */
  refuse: Refuse
}

/**
 * Converts the result of a `getMeta` into text: Hull's own members, and those of unhead that are text. A converted
 * result may be converted again.
 * @throws TypeError if `jsonLd` cannot be represented in JSON
 */
export function toHeadMeta(meta: Meta & Pick<HeadMeta, 'tags'>, { origin, refuse }: Options): HeadMeta {
  let isPlain = true
  for (const key in meta) {
    if (PLAIN.has(key)) continue
    if (!WRITTEN.has(key)) throw refuse(key)
    isPlain = false
  }
  if (isPlain) return meta as HeadMeta
  const { titleTemplate, meta: metas, link: links, htmlAttrs, bodyAttrs, ...rest } = meta
  const { canonical, openGraph, twitter, alternates, jsonLd, tags: given = [], ...head } = rest
  const toUrl = (address: string) => (address.startsWith('/') && !address.startsWith('//') ? origin + address : address)
  const written: HeadMeta = { ...head }
  const tags: HeadTag[] = [...given]
  if (titleTemplate !== undefined) {
    if (head.title !== undefined) written.title = fillTemplate(titleTemplate, head.title)
    written.template = fillTemplate(titleTemplate, '%s')
  }
  // Anything else than text is refused later, with the name of the file.
  if (canonical !== undefined) written.canonical = typeof canonical === 'string' ? toUrl(canonical) : canonical
  for (const [property, value] of definedEntries(openGraph))
    for (const content of [value].flat())
      tags.push(['meta', { property: `og:${property}`, content: ADDRESSES.has(property) ? toUrl(content) : content }])
  for (const [name, content] of definedEntries(twitter))
    tags.push(['meta', { name: `twitter:${name}`, content: ADDRESSES.has(name) ? toUrl(content) : content }])
  for (const [language, address] of definedEntries(alternates))
    tags.push(['link', { rel: 'alternate', hreflang: language, href: toUrl(address) }])
  for (const data of jsonLd === undefined ? [] : [jsonLd].flat())
    tags.push(['script', { type: 'application/ld+json' }, JSON.stringify(data).replaceAll('<', '\\u003c')])
  for (const attributes of metas ?? []) tags.push(['meta', toText(attributes, 'meta', refuse)])
  for (const attributes of links ?? []) tags.push(['link', toText(attributes, 'link', refuse)])
  if (tags.length > 0) written.tags = tags
  if (htmlAttrs) written.html = toText(htmlAttrs, 'htmlAttrs', refuse)
  if (bodyAttrs) written.body = toText(bodyAttrs, 'bodyAttrs', refuse)
  return written
}

/**
 * Combines what layouts and page returned, outermost first: later members win unless they are undefined, records and
 * lists are joined. A template is for the title of the page, and the innermost one wins.
 */
export function mergeMeta(metas: Meta[]): Meta {
  const merged: Meta = {}
  for (const meta of metas) {
    const { openGraph, twitter, htmlAttrs, bodyAttrs, meta: tags, link, jsonLd } = merged
    assignDefined(merged, meta)
    if (openGraph) merged.openGraph = assignDefined({ ...openGraph }, meta.openGraph)
    if (twitter) merged.twitter = assignDefined({ ...twitter }, meta.twitter)
    if (htmlAttrs) merged.htmlAttrs = { ...htmlAttrs, ...meta.htmlAttrs }
    if (bodyAttrs) merged.bodyAttrs = { ...bodyAttrs, ...meta.bodyAttrs }
    if (tags) merged.meta = [...tags, ...(meta.meta ?? [])]
    if (link) merged.link = [...link, ...(meta.link ?? [])]
    if (jsonLd) merged.jsonLd = [jsonLd, meta.jsonLd ?? []].flat()
  }
  return merged
}

/** Entries of a record without those whose value is undefined, which means that there is none. */
const definedEntries = <Value>(record: Record<string, Value | undefined> = {}) =>
  Object.entries(record).filter((entry): entry is [string, Value] => entry[1] !== undefined)

function assignDefined<Target extends object>(target: Target, source: Target | undefined): Target {
  for (const key in source) if (source[key] !== undefined) target[key] = source[key]
  return target
}

const fillTemplate = (template: NonNullable<Meta['titleTemplate']>, title: string) =>
  typeof template === 'function' ? template(title) : template.replaceAll('%s', () => title)

/** Converts attributes to text, with their names in HTML. */
function toText(attributes: Attributes, where: string, refuse: Refuse): Record<string, string> {
  const text: Record<string, string> = {}
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false || NOT_WRITTEN.has(key)) continue
    const name = key === 'httpEquiv' ? 'http-equiv' : key.toLowerCase()
    // The content security policy allows no inline style and no inline script.
    if (!/^[a-z][\w:.-]*$/.test(name) || name === 'style' || name.startsWith('on')) throw refuse(`${where}.${key}`)
    text[name] = value === true ? '' : name === 'class' ? toClasses(value) : String(value)
  }
  return text
}

function toClasses(value: NonNullable<Attributes[string]>): string {
  if (typeof value !== 'object') return String(value)
  const names = Array.isArray(value) ? value : Object.keys(value).filter((name) => value[name])
  return names.join(' ')
}
