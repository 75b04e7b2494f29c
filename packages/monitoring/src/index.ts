/** The server's side of @hull/monitoring: error reports and traces for Fastify. */
export { MONITORING_SETTINGS } from './settings.ts'
export {
  toDestinations,
  toReporting,
  type DestinationOptions,
  type Destinations,
  type LocalReceiver,
  type Reporting,
  type ReportingOptions
} from './reporting.ts'
export { inSpan, type SpanInfo } from './tracing/span.ts'
export { EARLY_ERRORS } from './server-sdk/early-errors.ts'
export { MONITORING_ID } from './browser-sdk/options.ts'
export { default as monitoring, type MonitoringOptions } from './plugins/monitoring.ts'
export { default as telemetry, type TelemetryOptions } from './plugins/telemetry.ts'
export { default as tracing } from './plugins/tracing.ts'
export { default as tunnel } from './plugins/tunnel.ts'
// For a receiver of envelopes, such as @hull/inbox.
export { createAnswers, toEnvelopeRoute } from './envelope/answers.ts'
export { storeEnvelope, type IncomingBody } from './envelope/intake.ts'
export { DeliveryFailed, type Deliverer, type SpooledEnvelope } from './delivery/deliverer.ts'
export type { Envelope, EnvelopeMeta, EnvelopeSink, EnvelopeWriter } from './delivery/envelope-sink.ts'
export type { TunnelStats } from './delivery/tunnel.ts'
export { BULKY, isBulky } from './envelope/categories.ts'
export { limitsUnderPressure, toRateLimitHeader } from './delivery/rate-limits.ts'
