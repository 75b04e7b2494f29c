/** Delivery of envelopes to a provider, for programs that send envelopes of their own, and for receivers with a spool. */
export { DeliveryFailed, type SpooledEnvelope } from './delivery/deliverer.ts'
export { toProviderAddress } from './delivery/provider-address.ts'
export { createHttpDeliverer, type HttpDeliverer } from './delivery/http-deliverer.ts'
export { createLazyTunnel } from './delivery/lazy-tunnel.ts'
export { createRateLimits } from './delivery/rate-limits.ts'
export { systemClock } from './delivery/clock.ts'
export { openOldSpool } from './delivery/old-spool.ts'
export { openTunnel } from './delivery/tunnel.ts'
