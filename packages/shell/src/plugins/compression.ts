import zlib, { constants } from 'node:zlib'
import compress from '@fastify/compress'
import type { onSendHookHandler, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'

/** Brotli's 11 is for files compressed once; 4 costs what gzip does and is smaller. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

/**
 * Node's zlib with streams that pass on what they are given at once: a streamed page's shell must not wait in a
 * compressor until the page is done.
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
      // A hook of its own, which would cost routes that take no body as well.
      if (takesBody(route.method)) route.decompress ??= {}
    })
    await app.register(compress, {
      globalDecompression: false,
      zlib: flushingZlib,
      brotliOptions: BROTLI,
      encodings: ['br', 'zstd', 'gzip', 'identity']
    })
    // Its hook asks first of all whether it has a Response of fetch: with that Node loads fetch, a twelfth of the start.
    app.addHook('onRoute', function passBy(route) {
      route.onSend = hooksOf(route).map((hook) => (others.has(hook) ? hook : whereAsked(hook)))
    })
    app.afterStart(() => globalThis.Response)
  },
  { name: 'compression', fastify: '5.x', dependencies: ['after-start'] }
)

const takesBody = (methods: string | readonly string[]): boolean =>
  ['POST', 'PUT', 'PATCH'].some((method) => methods.includes(method))

const hooksOf = ({ onSend = [] }: RouteOptions): onSendHookHandler[] => [onSend].flat()

/** Whoever names no coding gets none. */
const whereAsked = (compress: onSendHookHandler): onSendHookHandler =>
  function compressWhereAsked(request, reply, payload, done) {
    if (request.headers['accept-encoding'] === undefined) done(null, payload)
    else return compress.call(this, request, reply, payload, done)
  }
