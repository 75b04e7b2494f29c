/*
 * The exports that the telemetry plugin uses, in one module: a server that reports nothing does not load it, and one
 * that reports loads one file of the bundle instead of three.
 */
export { createLazyTelemetry } from './lazy.ts'
export { openTelemetry } from './open.ts'
export { findOtherVersions, isInitialised, SDK_VERSION } from './sentry-state.ts'
