const JSON_TYPES = ['application/json', 'application/problem+json']

interface Range {
  type: string
  quality: number
}

/**
 * Whether the client is a program: it prefers JSON or problem details to HTML, or names only them with equal quality. A
 * browser, curl and a missing header get HTML. (RFC 9110 §12.5.1; @fastify/accept-negotiator is for codings, and
 * supports neither ranges such as application/* nor parameters.)
 */
export function prefersJson(accept: string | undefined): boolean {
  // Shortcut for browsers. If `text/html` has a quality, it may be second choice.
  if (!accept || accept === '*/*' || accept.startsWith('text/html,')) return false
  const ranges = parseAccept(accept)
  const html = rate(ranges, 'text/html')
  return JSON_TYPES.some((type) => {
    const { quality, precision } = rate(ranges, type)
    return quality > html.quality || (quality > 0 && quality === html.quality && precision > html.precision)
  })
}

function parseAccept(accept: string): Range[] {
  return accept.split(',').map((entry) => {
    const [type = '', ...parameters] = entry.split(';')
    const weight = parameters.map((parameter) => parameter.trim().toLowerCase()).find((text) => text.startsWith('q='))
    return { type: type.trim().toLowerCase(), quality: weight === undefined ? 1 : toQuality(weight.slice(2)) }
  })
}

/** A quality that is not a number counts as 0. */
const toQuality = (text: string) => Math.min(Math.max(Number(text) || 0, 0), 1)

/** Returns the quality of a type, from the most precise range that includes it. */
function rate(ranges: Range[], type: string): { quality: number; precision: number } {
  const covering = ['*/*', `${type.split('/', 1)[0]}/*`, type]
  let quality = 0
  let precision = -1
  for (const range of ranges) {
    const found = covering.indexOf(range.type)
    if (found > precision) {
      quality = range.quality
      precision = found
    }
  }
  return { quality, precision }
}
