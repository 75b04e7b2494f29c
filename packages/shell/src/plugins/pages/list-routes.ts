import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import type { CachePolicy } from '../../client/contracts/page.ts'
import { collectChunks, type Manifest } from '../../render/assets.ts'
import type { Page, Site } from '../../render/site.ts'
import { readFrames, toRelative } from '../../server/stack-frames.ts'
import { recordedRoutes, type RecordedRoute } from '../../server/recorded-routes.ts'

/** A page, or a route that is no page. */
export interface ListedRoute {
  methods: string[]
  /** `/items/[id]` for a page, `/api/items/:id` for any other route. */
  pattern: string
  /** File relative to the project's folder, or the name of the package that added the route. */
  file: string
  isPage: boolean
  /** Files with a guard that runs for the page, outermost layout first. */
  guards: string[]
  /** Names of the layouts, outermost first. */
  layouts: string[]
  /** The page's `cache`, such as `60 s`, or `60 s, then stale for 30 s`. */
  cache?: string
  /** The page's flags: `streaming`, `clientOnly`, `serverOnly`, `staticData`. */
  flags: string[]
  /**
   * Bytes of all scripts of the first visit, compressed with Brotli, in the last build. Undefined for a page without
   * script, or one that is not in the build.
   */
  firstScript?: number
  /** Bytes of the page's own chunk, compressed with Brotli, in the last build. */
  ownChunk?: number
}

interface ListOptions {
  root: string
  dist: string
  site: Site
}

/** Lists all pages and routes, in the order of their patterns. @throws PageUnloadable */
export async function listRoutes(app: FastifyInstance, { root, dist, site }: ListOptions): Promise<ListedRoute[]> {
  const sizes = createSizes(dist)
  const pages = await Array.fromAsync(site.loadPages(), (page) => describePage(page, sizes))
  const routes = new Map<string, ListedRoute>()
  for (const route of recordedRoutes(app)) {
    const file = findFile(root, route)
    const listed = routes.get(`${route.url} ${file}`)
    if (listed) listed.methods.push(...route.methods)
    else
      routes.set(`${route.url} ${file}`, {
        methods: [...route.methods],
        pattern: route.url,
        file,
        isPage: false,
        guards: [],
        layouts: [],
        flags: []
      })
  }
  return [...pages, ...routes.values()].toSorted((a, b) => (a.pattern < b.pattern ? -1 : 1))
}

const FLAGS = ['streaming', 'clientOnly', 'serverOnly', 'staticData'] as const

function describePage({ pattern, file, module, layouts, sources }: Page, sizes: Sizes): ListedRoute {
  const { guard, action, cache } = module
  return {
    methods: action ? ['GET', 'POST'] : ['GET'],
    pattern: pattern.path,
    file,
    isPage: true,
    guards: [
      ...layouts.filter((layout) => layout.module.guard).map(({ name }) => `layout ${name}`),
      ...(guard ? ['page'] : [])
    ],
    layouts: layouts.map(({ name }) => name),
    ...(cache && { cache: describeCache(cache) }),
    flags: FLAGS.filter((flag) => module[flag]),
    ...(!module.serverOnly && sizes(sources))
  }
}

const describeCache = ({ maxAge, staleWhileRevalidate = 0 }: CachePolicy) =>
  staleWhileRevalidate > 0 ? `${maxAge} s, then stale for ${staleWhileRevalidate} s` : `${maxAge} s`

type Sizes = (sources: string[]) => Pick<ListedRoute, 'firstScript' | 'ownChunk'>

/** Returns a function that measures the scripts of a page, from its sources in the manifest. */
function createSizes(dist: string): Sizes {
  const manifestFile = join(dist, 'client/.vite/manifest.json')
  if (!existsSync(manifestFile)) return () => ({})
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest
  const entries = Object.keys(manifest).filter((key) => manifest[key]!.isEntry)
  const known = new Map<string, number>()
  const sizeOf = ({ file }: { file: string }) => {
    let size = known.get(file)
    if (size === undefined) known.set(file, (size = compressedSize(join(dist, 'client', file))))
    return size
  }
  return (sources) => {
    const own = manifest[sources.at(-1)!]
    if (!own) return {}
    const firstScript = collectChunks(manifest, [...entries, ...sources]).reduce((sum, chunk) => sum + sizeOf(chunk), 0)
    return { firstScript, ownChunk: sizeOf(own) }
  }
}

/** Returns the size of the file's compressed copy, which a build can omit. */
function compressedSize(file: string): number {
  return statSync(`${file}.br`, { throwIfNoEntry: false })?.size ?? brotliCompressSync(readFileSync(file)).length
}

/**
 * Returns the file that added a route: the first one in the stack outside of Fastify and Node, or the name of its
 * package.
 */
function findFile(root: string, { added }: RecordedRoute): string {
  for (const { file } of readFrames(added.stack)) {
    if (file.startsWith('node:')) continue
    const path = toRelative(root, file)
    const name = PACKAGE.exec(path)?.[1]
    if (!FASTIFY.has(name)) return name ?? path
  }
  return ''
}

const PACKAGE = /.*(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/

const FASTIFY = new Set<string | undefined>(['fastify', 'avvio'])
