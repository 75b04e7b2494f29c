/*
 * What an envelope may hold. Those that Relay has too are Relay's own defaults: what is past them would be refused
 * there, and lost, after it was accepted here.
 */

const KIBIBYTE = 1024
const MEBIBYTE = 1024 ** 2

/** Bytes of a whole envelope, its header included and after it was inflated. */
export const MAX_ENVELOPE_BYTES = 20 * MEBIBYTE

/** Bytes of one item that Relay measures as an event. */
export const MAX_EVENT_BYTES = MEBIBYTE

/** Items of type `session` or `sessions` in one envelope. */
export const MAX_SESSIONS = 100

/** Items in one envelope. A guess: SDKs send a handful, and each costs a parsed header. */
export const MAX_ITEMS = 1_000

/**
 * Bytes of an envelope's or an item's header line, which is held whole. Ours: the longest part of one is `trace`, which
 * holds what baggage does, and that ends at 8192 characters.
 */
export const MAX_HEADER_BYTES = 16 * KIBIBYTE

/** Objects inside one another in an envelope's header, which is written anew; SDKs need three. A guess. */
export const MAX_HEADER_DEPTH = 16

/** What one item may say it holds, such as spans; the number is the client's word, and is only counted. A guess. */
export const MAX_ITEM_COUNT = 10_000

/**
 * Bytes of a body before it is inflated: an envelope that does not compress grows by five bytes for each block (RFC 1951
 * §3.2.4), and a body may inflate to nothing at all.
 */
export const MAX_BODY_BYTES = MAX_ENVELOPE_BYTES + 64 * KIBIBYTE

/** Bytes of a body that a sink holds in memory before it writes them to a file. Measured: larger pieces are no faster. */
export const MAX_HELD_BYTES = 256 * KIBIBYTE

/** The same while the writers of all bodies together hold more than {@link CROWD_BYTES}. */
export const CROWDED_HELD_BYTES = 32 * KIBIBYTE

/** Bytes that the writers of all bodies together hold before each may hold less. A guess. */
export const CROWD_BYTES = 8 * MEBIBYTE
