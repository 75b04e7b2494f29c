import { MAX_PARAM_LENGTH } from '@hull/common/constants.ts'
import type { RoutePattern, Segment } from './route-pattern.ts'

/*
 * The only matcher, in the server and the browser:
 * 1. A path is split at its slashes, then each part is decoded once, so %2F stays inside its part.
 * 2. In every part, static has precedence over dynamic, and dynamic over catch-all. If one kind leads to no page, the
 * next one is tried.
 * 3. An empty part, `.` and `..` match nothing. A part that is not valid UTF-8 percent encoding is malformed.
 * 4. Comparison is case-sensitive. A parameter longer than MAX_PARAM_LENGTH characters matches nothing.
 */

interface Node {
  statics: Map<string, Node>
  param?: Node
  /** Page whose path ends in this node. */
  page?: RoutePattern
  /** Catch-all for one or more parts from this node on. */
  rest?: RoutePattern
}

export type RouteParams = Record<string, string | string[]>
export interface RouteMatch {
  pattern: RoutePattern
  params: RouteParams
}

/** Returns the page of a path that is still encoded and has no query; `malformed` if it cannot be decoded. */
export type Matcher = (pathname: string) => RouteMatch | 'malformed' | undefined

/** Builds the matcher for the addresses of page files, no two of which are the same. */
export function createMatcher(patterns: RoutePattern[]): Matcher {
  const root: Node = { statics: new Map() }
  for (const pattern of patterns) insert(root, pattern)

  return (pathname) => {
    const parts = decode(pathname)
    if (parts === undefined || parts === 'malformed') return parts
    const pattern = find(root, parts, 0)
    return pattern && { pattern, params: readParams(pattern.segments, parts) }
  }
}

function insert(node: Node, pattern: RoutePattern) {
  for (const segment of pattern.segments) {
    if (segment.kind === 'rest') {
      if (segment.optional) node.page = pattern
      node.rest = pattern
      return
    }
    node = segment.kind === 'static' ? childOf(node, segment.value) : (node.param ??= { statics: new Map() })
  }
  node.page = pattern
}

function childOf(node: Node, value: string): Node {
  let child = node.statics.get(value)
  if (!child) node.statics.set(value, (child = { statics: new Map() }))
  return child
}

function decode(pathname: string): string[] | 'malformed' | undefined {
  if (pathname === '/') return []
  const parts = pathname.split('/')
  if (parts.shift() !== '' || parts.length === 0) return undefined
  let usable = true
  for (let i = 0; i < parts.length; i++) {
    let part = parts[i]!
    if (part.includes('%')) {
      try {
        part = parts[i] = decodeURIComponent(part)
      } catch {
        return 'malformed'
      }
    }
    if (part === '' || part === '.' || part === '..') usable = false
  }
  return usable ? parts : undefined
}

function find(node: Node, parts: string[], at: number): RoutePattern | undefined {
  const part = parts[at]
  if (part === undefined) return node.page
  const next = node.statics.get(part)
  const found = next && find(next, parts, at + 1)
  if (found) return found
  if (node.param && part.length <= MAX_PARAM_LENGTH) {
    const viaParam = find(node.param, parts, at + 1)
    if (viaParam) return viaParam
  }
  if (!node.rest) return undefined
  for (let i = at; i < parts.length; i++) if (parts[i]!.length > MAX_PARAM_LENGTH) return undefined
  return node.rest
}

/** Returns parameters in the form of other routers: a catch-all is one string, also under `*`. */
export function toFlatParams(params: RouteParams): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(params))
    if (typeof value === 'string') flat[name] = value
    else flat[name] = flat['*'] = value.join('/')
  return flat
}

function readParams(segments: Segment[], parts: string[]): RouteParams {
  const params: RouteParams = {}
  segments.forEach((segment, at) => {
    if (segment.kind === 'param') params[segment.name] = parts[at]!
    else if (segment.kind === 'rest') params[segment.name] = parts.slice(at)
  })
  return params
}
