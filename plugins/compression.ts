import zlib, { constants } from 'node:zlib'
import compress from '@fastify/compress'
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

/** Compresses pages, data and problems on the fly. What carries a content coding already passes untouched. */
export default fp(
  async function compression(app) {
    // A hook of its own, which would cost routes that take no body as well.
    app.addHook('onRoute', function inflateBodies(route) {
      if (takesBody(route.method)) route.decompress ??= {}
    })
    await app.register(compress, {
      globalDecompression: false,
      zlib: flushingZlib,
      brotliOptions: BROTLI,
      encodings: ['br', 'zstd', 'gzip', 'identity']
    })
  },
  { name: 'compression', fastify: '5.x' }
)

const takesBody = (methods: string | readonly string[]): boolean =>
  ['POST', 'PUT', 'PATCH'].some((method) => methods.includes(method))
