/** The envelope format: what a receiver needs of it, in its threads too. */
export { readPieces } from './envelope/body.ts'
export { categoryOf } from './envelope/categories.ts'
export { parseDsn, type DsnTarget } from './envelope/dsn.ts'
export { MAX_EVENT_BYTES, MAX_ITEMS } from './envelope/limits.ts'
export { MonitoringMalformed, MonitoringMethod, MonitoringTooLarge, SpoolUnavailable } from './errors.ts'
