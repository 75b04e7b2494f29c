import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Metrics } from '@hull/common/metrics.ts'
import { findMetrics, runAfterStart, runOnDrain } from '@hull/common/optional-decorators.ts'
import type { OldSpool, OldSpoolOptions } from '../delivery/old-spool.ts'
import type { Provider, Tunnel, TunnelOptions as OpenOptions } from '../delivery/tunnel.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Stores envelopes on disk and delivers them to their providers; null without a provider. */
    tunnel: Tunnel | null
  }
}

/** Options of the tunnel. Without a provider, no file is opened. */
export interface TunnelOptions extends Pick<OpenOptions, 'providers' | 'file' | 'maxBytes' | 'maxAge' | 'timeouts'> {
  /** Receiver of envelopes that an older version of Hull spooled for the inbox. @default none */
  inbox?: Provider
}

/**
 * Milliseconds to deliver the last envelopes before the process ends; the rest is delivered after the next start. A
 * guess.
 */
const FLUSH_TIMEOUT = 2_000

/**
 * Opens the spool after the server has started, or at the first envelope, and delivers envelopes to providers. Register it
 * before the plugins that use it, since Fastify closes in reverse order.
 * @see docs/decisions/015-sqlite-as-spool.md
 */
export default fp<TunnelOptions>(
  async function tunnel(app, options) {
    if (options.providers.length === 0) {
      app.decorate('tunnel', null)
      if (options.inbox) emptyOldSpool(app, { ...options, provider: options.inbox, log: app.log })
      return
    }
    const { createLazyTunnel } = await import('../delivery/lazy-tunnel.ts')
    const { openTunnel } = await import('../delivery/tunnel.ts')
    const opened = createLazyTunnel(() => openTunnel({ ...options, log: app.log }))
    app.decorate('tunnel', opened)
    runAfterStart(app, opened.open)
    runOnDrain(app, () => opened.flush(FLUSH_TIMEOUT))
    app.addHook('onReady', async function countEnvelopes() {
      const metrics = findMetrics(app)
      if (metrics) countTunnel(metrics, opened)
    })
    app.addHook('onClose', () => opened.close())
  },
  { name: 'tunnel', fastify: '5.x' }
)

/** Runs after the start, so that pages and new envelopes do not wait for it. */
function emptyOldSpool(app: FastifyInstance, options: OldSpoolOptions): void {
  let emptying: Promise<OldSpool | undefined> | undefined
  runAfterStart(app, () => {
    emptying = import('../delivery/old-spool.ts').then(({ openOldSpool }) => openOldSpool(options))
  })
  app.addHook('onClose', async () => (await emptying)?.close())
}

function countTunnel({ gauge, series }: Metrics, { stats }: Tunnel) {
  gauge({ name: 'monitoring_spool_bytes', help: 'Bytes of envelopes in the spool.', read: () => stats().bytes })
  gauge({ name: 'monitoring_spool_envelopes', help: 'Envelopes in the spool.', read: () => stats().envelopes })
  gauge({
    name: 'monitoring_spool_oldest_seconds',
    help: 'Seconds since the oldest envelope in the spool was accepted.',
    read: () => stats().oldestAge / 1_000
  })
  gauge({
    name: 'monitoring_spool_available',
    help: '1 if envelopes can be stored, otherwise 0.',
    read: () => Number(stats().available)
  })
  gauge({
    name: 'monitoring_clock_jump_seconds',
    help: 'Seconds by which the clock has jumped, while nothing expires because of that; 0 otherwise.',
    read: () => stats().clockJump / 1_000
  })
  series({
    name: 'monitoring_dropped_items_total',
    help: 'Items dropped after they were accepted, by reason and data category.',
    type: 'counter',
    labelNames: ['reason', 'category'],
    read: () =>
      stats().drops.map(({ reason, category, quantity }) => ({ labels: { reason, category }, value: quantity }))
  })
  series({
    name: 'monitoring_attempts_total',
    help: 'Attempts to deliver an envelope, by provider and outcome.',
    type: 'counter',
    labelNames: ['provider', 'outcome'],
    read: () =>
      stats().providers.flatMap(({ provider, attempts }) =>
        Object.entries(attempts).map(([outcome, value]) => ({ labels: { provider, outcome }, value }))
      )
  })
  series({
    name: 'monitoring_provider_failing',
    help: '1 while deliveries to a provider fail and it is only probed, otherwise 0.',
    type: 'gauge',
    labelNames: ['provider'],
    read: () =>
      stats().providers.map(({ provider, breaker }) => ({ labels: { provider }, value: Number(breaker !== 'closed') }))
  })
}
