/** Limits of uploads. Build tools read those of chunks before they send. */

const MEBIBYTE = 1024 ** 2

/** Bytes of a chunk: one write of the inbox's thread, of some ten milliseconds. */
export const CHUNK_BYTES = MEBIBYTE

/** Maximum chunks in a request. */
export const CHUNKS_PER_REQUEST = 8

/** Maximum bytes of a request with chunks: gzip can make them a little larger, and each has a header. */
export const MAX_REQUEST_BYTES = CHUNKS_PER_REQUEST * (CHUNK_BYTES + 4 * 1024)

/** Maximum bytes of a bundle unless INBOX_UPLOAD_MAX_BYTES says otherwise. A guess: 300 MB of source maps. */
export const MAX_BUNDLE_BYTES = 64 * MEBIBYTE

/** Bytes of stored maps after which maps above their limit are deleted: the size of each map is read for it. A guess. */
export const PRUNE_BYTES = MEBIBYTE

/** Maximum files of a bundle, and bytes of their list. */
export const MAX_FILES = 20_000
export const MAX_MANIFEST_BYTES = 8 * MEBIBYTE

/** Maximum bytes of all maps of a bundle, as a multiple of the maximum bundle. Source maps compress to a fifth. */
export const MAX_INFLATION = 10

/** Maximum characters of a file's path and of a debug id: both are in an index, of which PostgreSQL allows 2,704 bytes. */
export const MAX_PATH = 600
export const MAX_DEBUG_ID = 64

/** Maximum projects that a request names. A guess: more than any build has. */
export const MAX_PROJECTS = 1_000
