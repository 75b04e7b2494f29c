const JSON_TYPES = ['application/json', 'application/problem+json']

interface Range {
  type: string
  quality: number
}

/**
 * Whether the answer is for a program: one that likes JSON or problem details better than HTML, or as well and names only
 * them. A browser, curl and a missing header get HTML. (RFC 9110 §12.5.1; @fastify/accept-negotiator, made for codings,
 * knows neither ranges such as application/* nor parameters.)
 */
export function prefersJson(accept: string | undefined): boolean {
  // What browsers send is known without reading on; with a quality, `text/html` may come second.
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

/** What is no number is not wanted. */
const toQuality = (text: string) => Math.min(Math.max(Number(text) || 0, 0), 1)

/** How much a type is wanted, by the most precise range that covers it. */
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
