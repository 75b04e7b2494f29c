import { parsePattern } from './check-pattern.ts'
import { createMatcher, type Matcher } from './route-matcher.ts'
import type { RoutePattern } from './route-pattern.ts'

export interface RouteTree {
  patterns: RoutePattern[]
  match: Matcher
}

/** Error for two files with one address. */
export class AddressTaken extends Error {
  readonly files: [first: string, second: string]
  constructor(first: string, second: string) {
    super(`Two files for one address: ${first} and ${second}`)
    this.files = [first, second]
  }
}

/**
 * Checks page files such as `/pages/items/[id].tsx`, and builds their matcher.
 * @param fileRouteOf returns a file's address in the notation of file names, if its name does not give the address
 * @param fileOf returns a file's name for messages.
 * @default `client` and the id
 * @throws AddressTaken if two files have one address
 */
export function createRouteTree(
  ids: string[],
  fileRouteOf?: (id: string) => string | undefined,
  fileOf: (id: string) => string = (id) => `client${id}`
): RouteTree {
  const patterns = ids.map((id) => parsePattern(id, fileRouteOf?.(id), fileOf(id)))
  const owners = new Map<string, string>()
  for (const pattern of patterns) {
    for (const address of addressesOf(pattern)) {
      const owner = owners.get(address)
      if (owner !== undefined) throw new AddressTaken(fileOf(owner), fileOf(pattern.id))
      owners.set(address, pattern.id)
    }
  }
  return { patterns, match: createMatcher(patterns) }
}

/**
 * Returns a pattern's addresses in the syntax of Fastify's router, without the names of its parameters: two for an
 * optional catch-all.
 */
export function addressesOf({ segments }: RoutePattern): string[] {
  const parts = segments.map((segment, at) =>
    segment.kind === 'static' ? segment.value : segment.kind === 'param' ? `:p${at}` : '*'
  )
  const address = '/' + parts.join('/')
  const last = segments.at(-1)
  return last?.kind === 'rest' && last.optional ? [address, '/' + parts.slice(0, -1).join('/')] : [address]
}
