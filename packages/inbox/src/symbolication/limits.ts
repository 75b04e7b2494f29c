/** What symbolication bounds itself by: a map is part of a build, and a build may be of any size. */

const MEBIBYTE = 1024 ** 2

/** Bytes of one map. Measured: React with its renderer and all of Hull are 1.3 MB. */
export const MAX_MAP_BYTES = 32 * MEBIBYTE

/** Characters in a map's mappings: at five a segment, 130 MiB once parsed. */
export const MAX_MAPPINGS = 8 * MEBIBYTE

/** Bytes that all maps together take in the store, packed: some hundred builds like Hull's own. A guess. */
export const MAX_STORED_BYTES = 256 * MEBIBYTE

/** Bytes of parsed maps that are kept in memory, by estimate: the maps of some twenty builds like Hull's own. */
export const MAX_PARSED_BYTES = 128 * MEBIBYTE

/** Bytes of one file of the project that is shown lines of. */
export const MAX_SOURCE_BYTES = MEBIBYTE

/** Files of the project that are kept in memory. */
export const MAX_SOURCES = 64

/** Frames of an exception that are looked at; SDKs send 50. */
export const MAX_FRAMES = 250

/** Lines shown on either side of a frame's own. */
export const LINES_AROUND = 3

/** Characters of a line that are shown. */
export const MAX_LINE_LENGTH = 400

/** Characters of a name that is taken from a map: of a file, a function, a package. */
export const MAX_NAME_LENGTH = 300
