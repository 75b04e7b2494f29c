/** Limits of symbolication. A map is part of a build, and a build can have any size. */

const MEBIBYTE = 1024 ** 2

/** Maximum bytes of a map. Measured: React, its renderer and all of Hull have 1.3 MB. */
export const MAX_MAP_BYTES = 32 * MEBIBYTE

/** Maximum characters of a map's mappings. At five per segment, they take 130 MiB once parsed. */
export const MAX_MAPPINGS = 8 * MEBIBYTE

/** Maximum bytes of all stored maps, compressed: about a hundred builds like Hull's own. A guess. */
export const MAX_STORED_BYTES = 256 * MEBIBYTE

/** Maximum estimated bytes of parsed maps in memory: the maps of some twenty builds like Hull's own. */
export const MAX_PARSED_BYTES = 128 * MEBIBYTE

/** Maximum bytes of a project file whose lines are shown. */
export const MAX_SOURCE_BYTES = MEBIBYTE

/** Maximum project files in memory. */
export const MAX_SOURCES = 64

/** Maximum frames of an exception to resolve; SDKs send 50. */
export const MAX_FRAMES = 250

/**
 * Maximum files of an event whose maps are searched; the frames of most events are in two or three. Each search takes a
 * few statements, and the store is locked meanwhile. A guess.
 */
export const MAX_FILES = 100

/** Lines shown before and after a frame's line. */
export const LINES_AROUND = 3

/** Maximum characters shown of a line. */
export const MAX_LINE_LENGTH = 400

/** Maximum characters of a name from a map: of a file, a function or a package. */
export const MAX_NAME_LENGTH = 300
