/** Maximum tags of a document. With {@link MAX_TAG_LENGTH} it keeps the `Cache-Tag` header below 8 KiB. */
const MAX_TAGS = 64

/** Maximum characters of a tag. */
const MAX_TAG_LENGTH = 120

/** Visible ASCII without the comma that separates tags in `Cache-Tag`. Labels of paths begin with a slash. */
const TAG = /^(?!\/)[!-+\--~]+$/

/**
 * Returns the tags.
 * @throws TypeError if they are not a list of valid tags
 */
export function checkTags(tags: unknown): readonly string[] {
  if (!Array.isArray(tags)) throw new TypeError('tags is a list of texts')
  for (const tag of tags)
    if (typeof tag !== 'string' || tag.length > MAX_TAG_LENGTH || !TAG.test(tag))
      throw new TypeError(
        `a tag has 1 to ${MAX_TAG_LENGTH} visible ASCII characters, no comma, and no slash at its beginning; got ${JSON.stringify(tag)?.slice(0, 200)}`
      )
  return tags
}

/**
 * Returns the tags of one document.
 * @throws TypeError if they are not valid, or too many
 */
export function checkPageTags(tags: unknown): readonly string[] {
  const checked = checkTags(tags)
  if (checked.length > MAX_TAGS) throw new TypeError(`a document has at most ${MAX_TAGS} tags; got ${checked.length}`)
  return checked
}

/**
 * Returns the label of a page's path, which is the same for every spelling of its encoding.
 * @throws TypeError if it is not a path without a query
 */
export function toPathLabel(path: string): string {
  if (typeof path !== 'string' || !path.startsWith('/') || /[?#]/.test(path))
    throw new TypeError(`path is a path such as /items/7, without a query; got ${JSON.stringify(path)?.slice(0, 200)}`)
  try {
    return path
      .split('/')
      .map((segment) => encodeURIComponent(decodeURIComponent(segment)))
      .join('/')
  } catch {
    throw new TypeError(`path is not encoded correctly: ${path.slice(0, 200)}`)
  }
}
