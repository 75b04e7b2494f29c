import { existsSync, readdirSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { negotiate } from '@fastify/accept-negotiator'
import fastifyStatic from '@fastify/static'
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
    await app.register(fastifyStatic, { root: folder, serve: false, cacheControl: false })

    app.get<{ Params: { '*': string } }>('/assets/*', UNTRACED, function serveHashed(request, reply) {
      const asset = known.get(`assets/${request.params['*']}`)
      return asset ? sendAsset(asset, IMMUTABLE, request, reply) : reply.callNotFound()
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

function sendAsset(
  { path, type, codings }: Asset,
  cacheControl: string,
  request: FastifyRequest,
  reply: FastifyReply
): FastifyReply {
  const options = { contentType: type === undefined }
  reply.header('cache-control', cacheControl)
  if (type) reply.type(type)
  if (codings.length === 0) return reply.sendFile(path, options)
  reply.header('vary', 'accept-encoding')
  const accept = request.headers['accept-encoding']
  const chosen = accept && negotiate(accept, [...codings.map(([coding]) => coding), 'identity'])
  const coding = codings.find(([name]) => name === chosen)
  if (!coding) return reply.sendFile(path, options)
  return reply.header('content-encoding', coding[0]).sendFile(path + coding[1], options)
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
