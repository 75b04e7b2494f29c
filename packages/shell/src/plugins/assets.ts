import { existsSync, readdirSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type {} from '@hull/common/route-config.ts'

export interface AssetsOptions {
  /** Folder of the build for the browser: hashed files in `assets/`, and the files of `client/public/`. */
  folder: string
}

/** Content codings by preference, with the ending the build gives each copy. */
const CODINGS: Array<[coding: string, ending: string]> = [
  ['br', '.br'],
  ['zstd', '.zst'],
  ['gzip', '.gz']
]

/** A hashed name never changes its content: a year, and no revalidation. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

/** An hour: files such as robots.txt keep their name and change with a deploy. */
const PUBLIC = 'public, max-age=3600'

/** Never served: raw templates, the manifest, and source maps should one be left. */
const PRIVATE = /^(index\.html$|html\/|\.vite\/)|\.map$/

/** Types of the files that a build compresses: the copy's own name would tell another, and each copy has the same. */
const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8'
}

/** A dozen for each page, and nothing happens in them. */
const UNTRACED = { config: { untraced: true } }

interface Asset {
  path: string
  /** Its type where it is one of {@link TYPES}; any other is told by its ending. */
  type: string | undefined
  /** The copies there are. */
  codings: typeof CODINGS
}

/** Serves the files of a build. The list of files is read once, at the start. */
export default fp<AssetsOptions>(
  async function assets(app, { folder }) {
    const known = findAssets(folder)
    const sendAsset = createSender(folder)

    app.get<{ Params: { '*': string } }>('/assets/*', UNTRACED, function serveHashed(request, reply) {
      const asset = known.get(`assets/${request.params['*']}`)
      if (!asset) return reply.callNotFound()
      return sendAsset(asset, IMMUTABLE, request, reply)
    })
    for (const asset of known.values()) {
      if (asset.path.startsWith('assets/')) continue
      app.get('/' + asset.path, UNTRACED, function servePublic(request, reply) {
        return sendAsset(asset, PUBLIC, request, reply)
      })
    }
  },
  { name: 'assets', fastify: '5.x' }
)

/** Sends the copy that the client prefers. */
function createSender(folder: string) {
  return async function sendAsset(
    { path, type, codings }: Asset,
    cacheControl: string,
    request: FastifyRequest,
    reply: FastifyReply
  ): Promise<FastifyReply | void> {
    const coding = chooseCoding(codings, request.headers['accept-encoding'])
    // With the first asset: no document needs it.
    const { send } = await import('@fastify/send')
    const file = await send(request.raw, encodeURI(path + (coding?.[1] ?? '')), {
      root: folder,
      index: false,
      cacheControl: false,
      contentType: type === undefined
    })
    if (file.type === 'error') {
      // Removed since the start.
      if (file.statusCode === 404) return reply.callNotFound()
      throw file.metadata.error
    }
    reply.code(file.statusCode).headers({ ...file.headers, 'cache-control': cacheControl })
    if (type) reply.type(type)
    if (codings.length > 0) reply.header('vary', 'accept-encoding')
    if (coding) reply.header('content-encoding', coding[0])
    return reply.send(file.stream)
  }
}

function chooseCoding(codings: typeof CODINGS, accept: string | undefined): (typeof CODINGS)[number] | undefined {
  if (codings.length === 0 || accept === undefined) return undefined
  const chosen = negotiate(accept, [...codings.map(([coding]) => coding), 'identity'])
  return codings.find(([coding]) => coding === chosen)
}

function findAssets(folder: string): Map<string, Asset> {
  if (!existsSync(folder)) throw new Error(`There is no build in ${folder}: run "npm run build"`)
  const paths = new Set(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
      .filter((path) => !PRIVATE.test(path))
  )
  const isCopy = (path: string) =>
    CODINGS.some(([, ending]) => path.endsWith(ending) && paths.has(path.slice(0, -ending.length)))
  return new Map(
    [...paths]
      .filter((path) => !isCopy(path))
      .map((path) => {
        const codings = CODINGS.filter(([, ending]) => paths.has(path + ending))
        return [path, { path, type: TYPES[extname(path)], codings }]
      })
  )
}
