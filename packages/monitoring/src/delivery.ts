/** Delivery of envelopes to a provider, for programs that send envelopes of their own. */
export { DeliveryFailed, type SpooledEnvelope } from './delivery/deliverer.ts'
export { toProviderAddress } from './delivery/dsn.ts'
export { createHttpDeliverer, type HttpDeliverer } from './delivery/http-deliverer.ts'
export { createRateLimits } from './delivery/rate-limits.ts'
export { systemClock } from './delivery/clock.ts'
