import fp from 'fastify-plugin'
import type { Metrics } from '../lib/metrics.ts'
import { openTunnel, type Tunnel, type TunnelOptions as OpenOptions } from '../lib/tunnel/tunnel.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Keeps envelopes on disk and delivers them to their providers; null where there is no provider. */
    tunnel: Tunnel | null
  }
}

export interface TunnelOptions extends Pick<OpenOptions, 'file' | 'maxBytes' | 'maxAge' | 'timeouts'> {
  /** The providers' DSNs. Without one no file is opened. */
  dsns: readonly string[]
}

/** Milliseconds to deliver what came last before the process ends; the rest is delivered after the next start. A guess. */
const FLUSH_TIMEOUT = 2_000

/**
 * Opens the way to the providers. Registered before whatever sends by it: Fastify closes in the opposite order.
 * @see docs/decisions/015-sqlite-as-spool.md
 */
export default fp<TunnelOptions>(
  async function tunnel(app, { dsns, ...options }) {
    if (dsns.length === 0) {
      app.decorate('tunnel', null)
      return
    }
    const opened = openTunnel({ ...options, providers: dsns.map((dsn) => ({ dsn })), log: app.log })
    app.decorate('tunnel', opened)
    app.addHook('onReady', async function watchTunnel() {
      if (app.hasDecorator('drain')) app.drain.onDrain(() => opened.flush(FLUSH_TIMEOUT))
      if (app.hasDecorator('metrics')) countTunnel(app.metrics, opened)
    })
    app.addHook('onClose', () => opened.close())
  },
  { name: 'tunnel', fastify: '5.x' }
)

function countTunnel({ gauge, series }: Metrics, { stats }: Tunnel) {
  gauge({ name: 'monitoring_spool_bytes', help: 'Bytes of envelopes that wait.', read: () => stats().bytes })
  gauge({ name: 'monitoring_spool_envelopes', help: 'Envelopes that wait.', read: () => stats().envelopes })
  gauge({
    name: 'monitoring_spool_oldest_seconds',
    help: 'Age of the oldest envelope that waits.',
    read: () => stats().oldestAge / 1_000
  })
  gauge({
    name: 'monitoring_spool_available',
    help: '1 while envelopes are accepted.',
    read: () => Number(stats().available)
  })
  series({
    name: 'monitoring_dropped_items_total',
    help: 'Items dropped after they were accepted, by reason and data category.',
    type: 'counter',
    read: () =>
      stats().drops.map(({ reason, category, quantity }) => ({ labels: { reason, category }, value: quantity }))
  })
  series({
    name: 'monitoring_attempts_total',
    help: 'Attempts to deliver an envelope, by provider and outcome.',
    type: 'counter',
    read: () =>
      stats().providers.flatMap(({ provider, attempts }) =>
        Object.entries(attempts).map(([outcome, value]) => ({ labels: { provider, outcome }, value }))
      )
  })
  series({
    name: 'monitoring_provider_failing',
    help: '1 while a provider is only probed.',
    type: 'gauge',
    read: () =>
      stats().providers.map(({ provider, breaker }) => ({ labels: { provider }, value: Number(breaker !== 'closed') }))
  })
}
