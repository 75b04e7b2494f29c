import zlib, { constants } from 'node:zlib'
import compress from '@fastify/compress'
import type { onSendHookHandler, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'

/** Quality 11 is for files that are compressed once; 4 costs the same as gzip, with a smaller result. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

/**
 * Node's zlib with streams that flush immediately: the shell of a streamed page must not wait in a compressor until the
 * page is complete.
 */
const flushingZlib = {
  ...zlib,
  createBrotliCompress: () => zlib.createBrotliCompress({ ...BROTLI, flush: constants.BROTLI_OPERATION_FLUSH }),
  createGzip: () => zlib.createGzip({ flush: constants.Z_SYNC_FLUSH }),
  createZstdCompress: () => zlib.createZstdCompress({ flush: constants.ZSTD_e_flush })
}

/** Compresses responses with brotli, zstd or gzip. Responses that already have a content coding are not changed. */
export default fp(
  async function compression(app) {
    let others = new Set<unknown>()
    app.addHook('onRoute', function prepareRoute(route) {
      others = new Set(hooksOf(route))
      // Decompression needs a hook, so routes without a body do not get it.
      if (takesBody(route.method)) route.decompress ??= {}
    })
    await app.register(compress, {
      globalDecompression: false,
      zlib: flushingZlib,
      brotliOptions: BROTLI,
      encodings: ['br', 'zstd', 'gzip', 'identity']
    })
    // The plugin's hook first checks for a Response of fetch. This makes Node load fetch, which takes a twelfth of the
    // start.
    app.addHook('onRoute', function wrapCompressHook(route) {
      route.onSend = hooksOf(route).map((hook) => (others.has(hook) ? hook : ifAccepted(hook)))
    })
    app.afterStart(() => globalThis.Response)
  },
  { name: 'compression', fastify: '5.x', dependencies: ['after-start'] }
)

const takesBody = (methods: string | readonly string[]): boolean =>
  ['POST', 'PUT', 'PATCH'].some((method) => methods.includes(method))

const hooksOf = ({ onSend = [] }: RouteOptions): onSendHookHandler[] => [onSend].flat()

/** Skips compression for clients that send no `Accept-Encoding`. */
const ifAccepted = (compress: onSendHookHandler): onSendHookHandler =>
  function compressIfAccepted(request, reply, payload, done) {
    if (request.headers['accept-encoding'] === undefined) done(null, payload)
    else return compress.call(this, request, reply, payload, done)
  }
