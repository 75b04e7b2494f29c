import { existsSync, globSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { negotiate } from '@fastify/accept-negotiator'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

export interface AssetsOptions {
  /** Folder of the built browser side: hashed files in `assets/`, and what `client/public/` holds at its top. */
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
const PRIVATE = ['index.html', 'html/**', '.vite/**', '**/*.map']

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

/** Serves the files of a build, each known at start: nothing else in the folder can be asked for. */
export default fp<AssetsOptions>(
  async function assets(app, { folder }) {
    if (!existsSync(folder)) throw new Error(`There is no build in ${folder}: run "npm run build"`)
    const paths = new Set(
      globSync('**/*', { cwd: folder, exclude: PRIVATE, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) =>
          join(entry.parentPath, entry.name)
            .slice(folder.length + 1)
            .replaceAll(sep, '/')
        )
        .filter((path) => !PRIVATE.includes(path))
    )

    await app.register(fastifyStatic, { root: folder, serve: false, cacheControl: false })

    for (const path of paths) {
      if (CODINGS.some(([, ending]) => path.endsWith(ending) && paths.has(path.slice(0, -ending.length)))) continue
      const codings = CODINGS.filter(([, ending]) => paths.has(path + ending))
      const cacheControl = path.startsWith('assets/') ? IMMUTABLE : PUBLIC

      const type = TYPES[extname(path)]
      const options = { contentType: type === undefined }

      app.get('/' + path, function serveAsset(request: FastifyRequest, reply: FastifyReply) {
        reply.header('cache-control', cacheControl)
        if (type) reply.type(type)
        if (codings.length === 0) return reply.sendFile(path, options)
        reply.header('vary', 'accept-encoding')
        const accept = request.headers['accept-encoding']
        const chosen = accept && negotiate(accept, [...codings.map(([coding]) => coding), 'identity'])
        const coding = codings.find(([name]) => name === chosen)
        if (!coding) return reply.sendFile(path, options)
        return reply.header('content-encoding', coding[0]).sendFile(path + coding[1], options)
      })
    }
  },
  { name: 'assets', fastify: '5.x' }
)
