/** Rows to a chunk. Measured: some milliseconds, between two batches of what comes. */
export const CHUNK = 500
