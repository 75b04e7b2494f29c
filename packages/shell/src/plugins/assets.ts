import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isErrorCode } from '@hull/common/is-error-code.ts'
import type {} from '@hull/common/route-config.ts'
import { PublicFileTaken } from '../errors.ts'
import { COMPRESSIBLE } from '../http/compressible.ts'
import { addVary } from '../http/vary.ts'
import { PUBLIC_ASSETS_FILE } from '../server/build-id.ts'
import { recordedRoutes } from '../server/recorded-routes.ts'

export interface AssetsOptions {
  /** Output folder of the browser's build: hashed files in `assets/`, and the files of `client/public/`. */
  folder: string
  /** Pages of another origin load the files, by way of a CDN. @default false */
  shared?: boolean
}

/** Content codings in order of preference, with the file ending of each copy. */
const CODINGS: Array<[coding: string, ending: string]> = [
  ['br', '.br'],
  ['zstd', '.zst'],
  ['gzip', '.gz']
]

/** A hashed name never changes its content: cached for a year without revalidation. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

/** One hour: files such as robots.txt keep their name and may change with a deploy. */
const PUBLIC = 'public, max-age=3600'

/**
 * Files that are never served: the raw template, any source maps left in the build, and hidden files, such as the
 * manifest's folder, except those of `.well-known` (RFC 8615).
 */
const PRIVATE = /^index\.html$|\.map$|(^|\/)\.(?!well-known(\/|$))/

/** Whether visitors may have a file, by its path in the folder. */
export const isServed = (path: string): boolean => !PRIVATE.test(path)

/** Must have no ending, and Apple reads it as JSON only, for links that open an app. */
const APPLE_FILE = /(^|\/)apple-app-site-association$/

/**
 * Tools that build reproducible images give all files one time: that of Nix is in 1970, that of buildpacks in 1980. A
 * browser would keep the old content of a file whose size has not changed.
 */
const LAST_FIXED_TIME = Date.UTC(1981, 0)

/** A route below `/assets/` with a parameter, which the router prefers to the wildcard of the files. */
const SHADOW = /^\/assets\/.*:/

/** Assets are not traced: each page has a dozen, and their spans would be empty. */
const UNTRACED = { config: { untraced: true } }

interface Asset {
  path: string
  /** Undefined for files whose ending gives the type. */
  type: string | undefined
  /** Whether the file's time changes with its content, so that an ETag of size and time is valid. */
  dated: boolean
  /** Codings of the available copies. */
  codings: typeof CODINGS
}

/** Serves the files of a build. Reads the list of files once, at the start. */
export default fp<AssetsOptions>(
  async function assets(app, { folder, shared = false }) {
    const known = findAssets(folder)
    const publicAssets = readPublicAssets(folder)
    const built = [...known.values()].filter(isBelowAssets)
    const sendAsset = createSender(folder, shared)

    app.get<{ Params: { '*': string } }>('/assets/*', UNTRACED, function serveHashed(request, reply) {
      const asset = known.get(`assets/${request.params['*']}`)
      return asset ? serve(asset, request, reply) : reply.callNotFound()
    })
    for (const asset of known.values()) if (!isBelowAssets(asset)) addFile(asset)
    if (recordedRoutes(app).some(isShadow)) addBuilt()
    app.addHook('onRoute', function keepBuilt(route) {
      if (isShadow(route)) addBuilt()
    })

    /** Adds a route for each file in `assets/`, which the router prefers to parameters. */
    function addBuilt() {
      for (const asset of built.splice(0)) addFile(asset)
    }

    function addFile(asset: Asset) {
      try {
        // The router reads a single colon as the start of a parameter.
        app.get('/' + asset.path.replaceAll(':', '::'), UNTRACED, function serveFile(request, reply) {
          return serve(asset, request, reply)
        })
      } catch (error) {
        if (!isErrorCode(error, 'FST_ERR_DUPLICATED_ROUTE')) throw error
        throw new PublicFileTaken(`client/public/${asset.path}`, `/${asset.path}`, { cause: error })
      }
    }

    function serve(asset: Asset, request: FastifyRequest, reply: FastifyReply) {
      const isHashed = isBelowAssets(asset) && !publicAssets.has(asset.path)
      return sendAsset(asset, isHashed ? IMMUTABLE : PUBLIC, request, reply)
    }
  },
  { name: 'assets', fastify: '5.x' }
)

const isBelowAssets = ({ path }: Asset) => path.startsWith('assets/')

const isShadow = ({ url }: { url: string }) => SHADOW.test(url)

/** The policy of all other answers keeps other origins away, and a CDN passes headers on. */
const SHARED_HEADERS = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' }

/** Creates a function that sends the copy the client prefers. */
function createSender(folder: string, shared: boolean) {
  return async function sendAsset(
    { path, type, dated, codings }: Asset,
    cacheControl: string,
    request: FastifyRequest,
    reply: FastifyReply
  ): Promise<FastifyReply | void> {
    if (shared) reply.headers(SHARED_HEADERS)
    const coding = chooseCoding(codings, request.headers['accept-encoding'])
    // Loaded with the first asset: documents do not need it.
    const { send } = await import('@fastify/send')
    const file = await send(request.raw, encodeURI(path + (coding?.[1] ?? '')), {
      root: folder,
      index: false,
      // The list of files has no other than `.well-known`.
      dotfiles: 'allow',
      cacheControl: false,
      contentType: type === undefined,
      etag: dated,
      lastModified: dated
    })
    if (file.type === 'error') {
      // The file was removed after the start.
      if (file.statusCode === 404) return reply.callNotFound()
      // Says how long the file is, so that a player or a download asks again for a part that exists (RFC 9110 §15.5.17).
      if (file.statusCode === 416) {
        reply.code(416).headers({ 'content-range': file.headers['Content-Range'], 'cache-control': 'no-store' })
        return reply.send()
      }
      throw file.metadata.error
    }
    reply.code(file.statusCode).headers({ ...file.headers, 'cache-control': cacheControl })
    if (type) reply.type(type)
    if (codings.length > 0) addVary(reply, 'accept-encoding')
    if (coding) reply.header('content-encoding', coding[0])
    // Compression would add a content coding to an empty stream, and a cache would add it to its uncompressed copy.
    return file.statusCode === 304 ? reply.send() : reply.send(file.stream)
  }
}

function chooseCoding(codings: typeof CODINGS, accept: string | undefined): (typeof CODINGS)[number] | undefined {
  if (codings.length === 0 || accept === undefined) return undefined
  const chosen = negotiate(accept, [...codings.map(([coding]) => coding), 'identity'])
  return codings.find(([coding]) => coding === chosen)
}

function readPublicAssets(folder: string): Set<string> {
  const file = join(folder, PUBLIC_ASSETS_FILE)
  return new Set(existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : [])
}

function findAssets(folder: string): Map<string, Asset> {
  if (!existsSync(folder)) throw new Error(`There is no build in ${folder}: run "npm run build"`)
  const root = resolve(folder)
  const paths = new Set([...listFiles(root)].filter(isServed))
  const isCopy = (path: string) =>
    CODINGS.some(([, ending]) => path.endsWith(ending) && paths.has(path.slice(0, -ending.length)))
  return new Map(
    [...paths]
      .filter((path) => !isCopy(path))
      .map((path) => {
        const codings = CODINGS.filter(([, ending]) => paths.has(path + ending))
        const dated = statSync(join(root, path)).mtimeMs > LAST_FIXED_TIME
        return [path, { path, type: toType(path), dated, codings }]
      })
  )
}

/**
 * Yields the paths of all files in a folder. Node's own recursion takes twice as long, because it asks for each file's
 * type again.
 */
function* listFiles(folder: string, prefix = ''): Generator<string> {
  for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true })) {
    const path = prefix + entry.name
    if (entry.isFile()) yield path
    else if (entry.isDirectory()) yield* listFiles(folder, `${path}/`)
  }
}

const toType = (path: string): string | undefined => COMPRESSIBLE[APPLE_FILE.test(path) ? '.json' : extname(path)]
