/** Envelope format: the parts that a receiver needs, in its threads as well. */
export { readPieces } from './envelope/body.ts'
export { categoryOf } from './envelope/categories.ts'
export { parseDsn, type DsnTarget } from './envelope/dsn.ts'
export { BURST_BYTES, BURST_HELD_BYTES, MAX_EVENT_BYTES, MAX_HELD_BYTES, MAX_ITEMS } from './envelope/limits.ts'
export { MonitoringMalformed, MonitoringMethod, MonitoringTooLarge, SpoolUnavailable } from './errors.ts'
