/**
 * Rows to a chunk: what comes may have to wait for one. Measured: 25 events with their payloads are 1 ms of CPU in a
 * store that is larger than its cache.
 */
export const CHUNK = 25
