// The types below are not in a module, so nothing can import them.
// eslint-disable-next-line typescript/triple-slash-reference
/// <reference path="./prom-client-modules.d.ts" preserve="true" />
import type { CounterConfiguration } from 'prom-client'
// The index of prom-client also loads its cluster and gateway modules.
import Counter from 'prom-client/lib/counter.js'
import Gauge from 'prom-client/lib/gauge.js'
import Histogram from 'prom-client/lib/histogram.js'
import Registry from 'prom-client/lib/registry.js'
import { LazyValue } from './lazy-value.ts'

export interface GaugeOptions {
  /** Prometheus name, including the unit. */
  name: string
  help: string
  /** Returns the value each time /metrics is read. */
  read: () => number
}

/** One value of a metric with labels. */
export interface Reading<L extends string> {
  labels: Record<L, string>
  value: number
}

export interface SeriesOptions<L extends string> {
  /** Prometheus name, including the unit. */
  name: string
  help: string
  type: 'counter' | 'gauge'
  labelNames: readonly L[]
  /** Returns all values each time /metrics is read. */
  read: () => Reading<L>[]
}

/** Metrics of one application. */
export interface Metrics {
  /** Creates a counter of prom-client. Label values must come from a small fixed set, never from a visitor. */
  counter: <L extends string = never>(options: Omit<CounterConfiguration<L>, 'registers'>) => Counter<L>
  /** Registers a gauge whose value is stored elsewhere. */
  gauge: (options: GaugeOptions) => void
  /** Registers a counter or gauge with labels whose values are stored elsewhere. */
  series: <L extends string>(options: SeriesOptions<L>) => void
  /** All metrics, in the Prometheus text format. */
  print: () => Promise<string>
  /** Media type of {@link print}. */
  readonly contentType: string
}

/** Counts one answer. `status` is 0 if the client left before there was one. */
export type ObserveRequest = (route: string | undefined, method: string, status: number, seconds: number) => void

/** Seconds: the defaults of the Prometheus client libraries, repeated here so that an upgrade does not change them. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Creates a separate registry, so that two servers in one process do not share metrics. Loads only prom-client's
 * registry and metric classes (4 ms). The whole library, with the metrics of the process, takes 35 ms and is loaded
 * when /metrics is first read.
 */
export function createMetrics(): Metrics & { observeRequest: ObserveRequest } {
  const registry = new Registry()
  const registers = [registry]
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Seconds from the request to the last byte of its answer, by route pattern.',
    labelNames: ['route', 'method', 'status'],
    buckets: DURATION_BUCKETS,
    registers
  })
  const processMetrics = new LazyValue(() => addProcessMetrics(registry))

  return {
    counter: (options) => new Counter({ ...options, registers }),
    gauge({ read, ...options }) {
      new Gauge({
        ...options,
        registers,
        collect() {
          this.set(read())
        }
      })
    },
    series({ type, read, ...options }) {
      if (type === 'counter')
        new Counter({
          ...options,
          registers,
          collect() {
            this.reset()
            for (const { labels, value } of read()) this.inc(labels, value)
          }
        })
      else
        new Gauge({
          ...options,
          registers,
          collect() {
            this.reset()
            for (const { labels, value } of read()) this.set(labels, value)
          }
        })
    },
    observeRequest(route = 'none', method, status, seconds) {
      durations.observe({ route, method, status: status === 0 ? 'none' : `${Math.trunc(status / 100)}xx` }, seconds)
    },
    contentType: registry.contentType,
    async print() {
      await processMetrics.get()
      return registry.metrics()
    }
  }
}

async function addProcessMetrics(registry: Registry): Promise<void> {
  const { collectDefaultMetrics } = await import('prom-client')
  collectDefaultMetrics({ register: registry })
}
