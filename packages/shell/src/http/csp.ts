import { createHash } from 'node:crypto'

/** Sources by directive, in order: `{ 'img-src': ["'self'", 'https://cdn.example'] }`. */
export type Directives = Record<string, string[]>

/**
 * Directives that a browser falls back to if one is missing: the first of these in the policy (CSP Level 3 §6.8.3). A
 * directive that is added starts with its fallback's sources: `worker-src blob:` allows blobs in addition to this
 * origin, not instead of it.
 */
const FALLBACKS: Record<string, string[]> = {
  'child-src': ['default-src'],
  'connect-src': ['default-src'],
  'fenced-frame-src': ['frame-src', 'child-src', 'default-src'],
  'font-src': ['default-src'],
  'frame-src': ['child-src', 'default-src'],
  'img-src': ['default-src'],
  'manifest-src': ['default-src'],
  'media-src': ['default-src'],
  'object-src': ['default-src'],
  'script-src': ['default-src'],
  'script-src-attr': ['script-src', 'default-src'],
  'script-src-elem': ['script-src', 'default-src'],
  'style-src': ['default-src'],
  'style-src-attr': ['style-src', 'default-src'],
  'style-src-elem': ['style-src', 'default-src'],
  'worker-src': ['child-src', 'script-src', 'default-src']
}

/** Directives whose values are keywords, not sources. */
const WITHOUT_SOURCES = new Set(['report-to', 'report-uri', 'sandbox', 'upgrade-insecure-requests'])

const KNOWN = new Set([
  ...Object.keys(FALLBACKS),
  ...WITHOUT_SOURCES,
  'base-uri',
  'default-src',
  'form-action',
  'frame-ancestors'
])

const KEYWORD =
  /^(self|none|unsafe-inline|unsafe-eval|wasm-unsafe-eval|unsafe-hashes|strict-dynamic|report-sample|inline-speculation-rules)$/i
const HASH = /^sha(256|384|512)-[\w+/-]+={0,2}$/i

/** Strict: allows this origin only; no inline code, eval, plugins or framing (CSP Level 3). */
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
 * Parses directives in the syntax of the header.
 * @throws Error for an unknown directive or an invalid source, with a message that says what is accepted
 */
export function parseCsp(text: string): Directives {
  const directives = readCsp(text)
  for (const [name, sources] of Object.entries(directives)) {
    if (!KNOWN.has(name)) throw new Error(`directives of a content security policy; ${name} is not one`)
    if (sources.length === 0 && !WITHOUT_SOURCES.has(name))
      throw new Error(`a source for each directive, or 'none', which blocks all; ${name} has no source`)
    for (const source of sources) checkSource(name, source)
    if (sources.length > 1 && sources.some(isNone))
      throw new Error(`'none' alone, or other sources without it; ${name} has both`)
  }
  return directives
}

/** Reads directives without a check. */
function readCsp(text: string): Directives {
  const directives = new Map<string, string[]>()
  for (const part of text.split(';')) {
    const [name, ...sources] = part.trim().split(/\s+/)
    if (name) directives.set(name, [...(directives.get(name) ?? []), ...sources])
  }
  return Object.fromEntries(directives)
}

function checkSource(directive: string, source: string) {
  if (!/^[\x21-\x2b\x2d-\x3a\x3c-\x7e]+$/.test(source))
    throw new Error('sources without commas, semicolons or characters beyond ASCII')
  if (WITHOUT_SOURCES.has(directive)) return
  // A browser would look for a host with this name.
  if (KEYWORD.test(source) || HASH.test(source))
    throw new Error(`keywords and hashes in single quotes: '${source}', not ${source}`)
  if (/^'?nonce-/i.test(source)) throw new Error('sources without a nonce: a nonce that never changes does not protect')
  const quoted = /^'(.*)'$/.exec(source)?.[1]
  if (source.includes("'") && !(quoted && (KEYWORD.test(quoted) || HASH.test(quoted))))
    throw new Error(`keywords and hashes in single quotes, such as 'self'; ${source} is not one`)
}

const isNone = (source: string) => source.toLowerCase() === "'none'"

/**
 * Adds sources to a policy. They replace `'none'`, and an added `'none'` replaces all sources. A directive that the
 * policy does not have starts with the sources of its fallback.
 */
export function mergeCsp(base: Directives, more: Directives): Directives {
  const merged: Directives = { ...base }
  for (const name of Object.keys(more)) merged[name] = sourcesOf(name)
  return merged

  function sourcesOf(name: string): string[] {
    const fallback = FALLBACKS[name]?.find((other) => base[other] ?? more[other])
    const own = base[name] ?? (fallback ? sourcesOf(fallback) : [])
    const added = more[name]
    if (!added || added.length === 0) return own
    return added.some(isNone) ? added : [...new Set([...own.filter((source) => !isNone(source)), ...added])]
  }
}

const SCRIPT_DIRECTIVES = ['script-src', 'script-src-elem']
const STYLE_DIRECTIVES = ['style-src', 'style-src-elem']

/** Adds a nonce for inline scripts and style elements. Style attributes cannot have one. */
export const addNonce = (policy: Directives, nonce: string): Directives =>
  allowInline(policy, [nonce], [...SCRIPT_DIRECTIVES, ...STYLE_DIRECTIVES])

/** Adds a nonce to the policies of a header that a page or a hook has set. */
export function addNonceToHeader(header: string, nonce: string): string {
  const policies = header.split(',').map((text) => {
    const policy = readCsp(text)
    const { 'default-src': usual } = policy
    return formatCsp(addNonce({ ...(usual && { 'script-src': usual, 'style-src': usual }), ...policy }, nonce))
  })
  return policies.join(', ')
}

/** Adds the hashes of inline scripts. */
export const addHashes = (policy: Directives, scripts: readonly string[]): Directives =>
  allowInline(
    policy,
    scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`),
    SCRIPT_DIRECTIVES
  )

/** Skips directives that allow everything inline: a nonce or hash would disable that (CSP Level 3 §6.7.3.2). */
function allowInline(policy: Directives, sources: string[], directives: string[]): Directives {
  const names = directives.filter((name) => policy[name] && !allowsInline(policy[name]))
  return mergeCsp(policy, Object.fromEntries(names.map((name) => [name, sources])))
}

function allowsInline(sources: string[]): boolean {
  const words = sources.map((source) => source.toLowerCase())
  return words.includes("'unsafe-inline'") && !words.some((word) => /^'(strict-dynamic'|sha\d)/.test(word))
}

export const formatCsp = (directives: Directives): string =>
  Object.entries(directives)
    .map(([name, sources]) => [name, ...sources].join(' '))
    .join('; ')
