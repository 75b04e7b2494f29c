import type { Readable } from 'node:stream'
import zlib, { constants } from 'node:zlib'
import compress from '@fastify/compress'
import type { onSendHookHandler, preParsingHookHandler, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { safeCallback } from '@hull/common/safe-callback.ts'

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

/**
 * Compresses responses with brotli, zstd or gzip. Responses that already have a content coding are not changed. Decodes
 * the bodies of requests.
 */
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
      // The plugin has added the hook that decodes at the beginning.
      const [decode, ...rest] = [route.preParsing ?? []].flat()
      if (decode && takesBody(route.method)) route.preParsing = [decode, stopUnreadDecoder, ...rest]
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

/**
 * Stops the decoder of a body that nobody reads any more. Fastify refuses a decoded body above the limit, and lets its
 * decoder run to the end: a megabyte of Brotli may be a terabyte.
 */
const stopUnreadDecoder: preParsingHookHandler = function stopUnreadDecoder(_request, _reply, payload, done) {
  // Only a decoder counts the bytes before it.
  if (payload.receivedEncodedLength !== undefined) {
    const decoder = payload as Readable
    // Adds no reader: the decoder is paused.
    decoder.on(
      'data',
      safeCallback(() => {
        if (decoder.listenerCount('data') === 1 && decoder.listenerCount('readable') === 0) decoder.destroy()
      })
    )
  }
  done(null, payload)
}
