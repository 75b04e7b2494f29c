import type { Meta } from '../client/contract.ts'
import type { HeadMeta } from './payload.ts'

type Refuse = (member: string) => Error
type Attributes = NonNullable<Meta['htmlAttrs']>

/** Members that {@link HeadMeta} contains unchanged. */
const PLAIN = new Set(['title', 'description', 'canonical', 'openGraph', 'robots', 'tags', 'html', 'body'])
const WRITTEN = new Set(['titleTemplate', 'meta', 'link', 'htmlAttrs', 'bodyAttrs'])

/** Attributes that only unhead uses. */
const NOT_WRITTEN = new Set(['key', 'tagPosition', 'tagPriority', 'tagDuplicateStrategy'])

/**
 * Converts the result of a `getMeta` into text: Hull's own members, and those of unhead that are text. Returns a
 * converted result unchanged.
 * @param refuse creates the error for any other member
 */
export function toHeadMeta(meta: Meta & Pick<HeadMeta, 'tags'>, refuse: Refuse): HeadMeta {
  let isPlain = true
  for (const key in meta) {
    if (PLAIN.has(key)) continue
    if (!WRITTEN.has(key)) throw refuse(key)
    isPlain = false
  }
  if (isPlain) return meta as HeadMeta
  const { titleTemplate, meta: metas = [], link: links = [], htmlAttrs, bodyAttrs, ...head } = meta
  const written: HeadMeta = { ...head }
  if (titleTemplate !== undefined) written.title = fillTemplate(titleTemplate, head.title ?? '')
  const tags = [
    ...(head.tags ?? []),
    ...metas.map((attributes): [name: 'meta', Record<string, string>] => ['meta', toText(attributes, 'meta', refuse)]),
    ...links.map((attributes): [name: 'link', Record<string, string>] => ['link', toText(attributes, 'link', refuse)])
  ]
  if (tags.length > 0) written.tags = tags
  if (htmlAttrs) written.html = toText(htmlAttrs, 'htmlAttrs', refuse)
  if (bodyAttrs) written.body = toText(bodyAttrs, 'bodyAttrs', refuse)
  return written
}

const fillTemplate = (template: NonNullable<Meta['titleTemplate']>, title: string) =>
  typeof template === 'function' ? template(title) : template.replaceAll('%s', title)

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
