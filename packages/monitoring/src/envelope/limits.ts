/*
 * Limits of an envelope. Those that Relay also has are Relay's own defaults: it would refuse anything larger, which
 * would be lost after it was accepted here.
 */

const KIBIBYTE = 1024
const MEBIBYTE = 1024 ** 2

/** Maximum bytes of a whole envelope, inflated, including its header. */
export const MAX_ENVELOPE_BYTES = 20 * MEBIBYTE

/** Maximum bytes of an item that counts as an event in Relay. */
export const MAX_EVENT_BYTES = MEBIBYTE

/** Maximum items of type `session` or `sessions` in one envelope. */
export const MAX_SESSIONS = 100

/** Maximum items in one envelope. A guess: SDKs send a handful, and each costs a parsed header. */
export const MAX_ITEMS = 1_000

/**
 * Maximum bytes of an envelope's or item's header line, which is kept in memory. Our choice: the longest part is
 * `trace`, which has the content of baggage. That is limited to 8192 characters, and JSON at most doubles them: it
 * writes six characters for a control character, which has three in baggage.
 */
export const MAX_HEADER_BYTES = 24 * KIBIBYTE

/** Maximum nesting of objects in an envelope's header, which is written again; SDKs need three levels. A guess. */
export const MAX_HEADER_DEPTH = 16

/** Maximum number of spans or the like that an item may claim to contain. It is only used for counting. A guess. */
export const MAX_ITEM_COUNT = 10_000

/**
 * Maximum bytes of a body before it is inflated: an incompressible envelope grows by five bytes per block (RFC 1951
 * §3.2.4), and a body may inflate to nothing.
 */
export const MAX_BODY_BYTES = MAX_ENVELOPE_BYTES + 64 * KIBIBYTE

/**
 * Bytes of a body that a sink keeps in memory before it writes them to a file. Measured: larger pieces are not faster.
 */
export const MAX_HELD_BYTES = 256 * KIBIBYTE

/** The same, while the writers of all bodies together hold more than {@link BURST_BYTES}. */
export const BURST_HELD_BYTES = 32 * KIBIBYTE

/** Bytes in the writers of all bodies above which each may hold less. A guess. */
export const BURST_BYTES = 8 * MEBIBYTE
