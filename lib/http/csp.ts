/** Directive to sources, in order. */
export type Directives = Record<string, string[]>

const KNOWN = new Set([
  'base-uri',
  'child-src',
  'connect-src',
  'default-src',
  'fenced-frame-src',
  'font-src',
  'form-action',
  'frame-ancestors',
  'frame-src',
  'img-src',
  'manifest-src',
  'media-src',
  'object-src',
  'report-to',
  'report-uri',
  'sandbox',
  'script-src',
  'script-src-attr',
  'script-src-elem',
  'style-src',
  'style-src-attr',
  'style-src-elem',
  'upgrade-insecure-requests',
  'worker-src'
])

/** Strict: everything from this origin, nothing inline, no eval, no plugins, in no frame (CSP Level 3). */
export const BASE_POLICY: Directives = {
  'default-src': ["'self'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'font-src': ["'self'"],
  'connect-src': ["'self'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"]
}

/**
 * Reads directives as a header has them.
 * @throws Error for a directive that the standard does not have, or a source with a character that would end the header
 */
export function parseCsp(text: string): Directives {
  const directives: Directives = {}
  for (const part of text.split(';')) {
    const [name, ...sources] = part.trim().split(/\s+/)
    if (!name) continue
    if (!KNOWN.has(name)) throw new Error(`directives of a content security policy; ${name} is none`)
    if (sources.some((source) => !/^[\x21-\x2b\x2d-\x3a\x3c-\x7e]+$/.test(source)))
      throw new Error('sources without commas, semicolons or characters beyond ASCII')
    directives[name] = [...(directives[name] ?? []), ...sources]
  }
  return directives
}

/** Adds sources to a policy; `'none'` gives way to anything added beside it. */
export function mergeCsp(base: Directives, more: Directives): Directives {
  const merged: Directives = { ...base }
  for (const [name, sources] of Object.entries(more)) {
    const all = [...(merged[name] ?? []), ...sources]
    merged[name] = [...new Set(all.length > 1 ? all.filter((source) => source !== "'none'") : all)]
  }
  return merged
}

export const formatCsp = (directives: Directives): string =>
  Object.entries(directives)
    .map(([name, sources]) => [name, ...sources].join(' '))
    .join('; ')
