import type { Registry } from 'prom-client'

export interface MetricOptions<L extends string = string> {
  /** Prometheus name, with its unit: `spool_bytes`, `requests_total`. */
  name: string
  help: string
  /** Names of the labels. Their values must come from a small fixed set, never from a visitor. @default none */
  labelNames?: readonly L[]
}

export interface GaugeOptions {
  /** Prometheus name, with its unit. */
  name: string
  help: string
  /** Gives the value each time it is asked for. */
  read: () => number
}

/** One value of a metric that has labels. */
export interface Reading {
  labels: Record<string, string>
  value: number
}

export interface SeriesOptions {
  /** Prometheus name, with its unit. */
  name: string
  help: string
  type: 'counter' | 'gauge'
  /** Gives the values each time they are asked for. */
  read: () => Reading[]
}

export interface Counter<L extends string = string> {
  /** Counts one more. */
  inc: (labels?: Record<L, string>) => void
}

/** What a plugin counts with. */
export interface Metrics {
  counter: <L extends string = string>(options: MetricOptions<L>) => Counter<L>
  gauge: (options: GaugeOptions) => void
  /** For whoever counts already. */
  series: (options: SeriesOptions) => void
  /** Everything so far, in the Prometheus text format. */
  print: () => Promise<string>
  /** Media type of {@link print}. */
  readonly contentType: string
}

/** Counts one answer. `status` 0: the client left before there was one. */
export type ObserveRequest = (route: string | undefined, method: string, status: number, seconds: number) => void

/** A sample of a metric, as prom-client prints it. */
interface Sample {
  metricName?: string
  labels: Record<string, string | number>
  value: number
}

/** What prom-client asks of a metric in its registry. */
interface Metric {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  get: () => Promise<{ name: string; help: string; type: string; aggregator: 'sum'; values: Sample[] }>
}

type Registered = Parameters<Registry['registerMetric']>[0]

/**
 * Counts in plain numbers, for next to nothing a request; prom-client, which prints them and adds those of the process, is
 * loaded by the first who asks. Two servers in one process do not share them.
 */
export function createMetrics(): Metrics & { observeRequest: ObserveRequest } {
  const metrics: Metric[] = []
  let registry: Promise<Registry> | undefined
  let printed = 0

  return {
    counter: (options) => createCounter(options, metrics),
    gauge({ read, ...options }) {
      metrics.push(toMetric('gauge', options, () => [{ labels: {}, value: read() }]))
    },
    series({ type, read, ...options }) {
      metrics.push(toMetric(type, options, read))
    },
    observeRequest: createRequestObserver(metrics),
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    async print() {
      const opened = await (registry ??= openRegistry())
      for (; printed < metrics.length; printed++) opened.registerMetric(metrics[printed] as unknown as Registered)
      return opened.metrics()
    }
  }
}

async function openRegistry(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

function toMetric(type: Metric['type'], { name, help }: MetricOptions, read: () => Sample[]): Metric {
  return { name, help, type, get: async () => ({ name, help, type, aggregator: 'sum', values: read() }) }
}

function createCounter<L extends string>(options: MetricOptions<L>, metrics: Metric[]): Counter<L> {
  const counts = new Map<string, Sample>()
  const { labelNames = [] } = options
  if (labelNames.length === 0) counts.set('', { labels: {}, value: 0 })
  metrics.push(toMetric('counter', options, () => [...counts.values()]))
  return {
    inc(labels) {
      const key = labelNames.map((label) => labels![label]).join('\n')
      const count = counts.get(key)
      if (count) count.value++
      else counts.set(key, { labels: { ...labels }, value: 1 })
    }
  }
}

/** Seconds: the defaults of the Prometheus client libraries, written down so that an upgrade does not move them. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Durations {
  labels: { route: string; method: string; status: string }
  /** How many were at most as long as each bucket and longer than the one before; the last is for the rest. */
  buckets: number[]
  sum: number
}

/** Looks the labels up by route, method and class once; after that a request costs two look-ups and two additions. */
function createRequestObserver(metrics: Metric[]): ObserveRequest {
  const name = 'http_request_duration_seconds'
  const all: Durations[] = []
  const byRoute = new Map<string, Map<string, Durations[]>>()
  metrics.push(
    toMetric(
      'histogram',
      { name, help: 'Time from the request to the last byte of its answer, by route pattern.' },
      () => all.flatMap((durations) => toSamples(name, durations))
    )
  )

  return function observeRequest(route = 'none', method, status, seconds) {
    let byMethod = byRoute.get(route)
    if (byMethod === undefined) byRoute.set(route, (byMethod = new Map()))
    let byClass = byMethod.get(method)
    if (byClass === undefined) byMethod.set(method, (byClass = []))
    const statusClass = Math.trunc(status / 100)
    let durations = byClass[statusClass]
    if (durations === undefined) {
      const labels = { route, method, status: statusClass === 0 ? 'none' : `${statusClass}xx` }
      durations = byClass[statusClass] = { labels, buckets: DURATION_BUCKETS.map(() => 0).concat(0), sum: 0 }
      all.push(durations)
    }
    let bucket = 0
    while (bucket < DURATION_BUCKETS.length && seconds > DURATION_BUCKETS[bucket]!) bucket++
    durations.buckets[bucket]!++
    durations.sum += seconds
  }
}

/** Buckets add up in Prometheus: each counts all that were at most as long. */
function toSamples(name: string, { labels, buckets, sum }: Durations): Sample[] {
  let count = 0
  const samples: Sample[] = buckets.map((more, at) => {
    count += more
    return { metricName: `${name}_bucket`, labels: { le: DURATION_BUCKETS[at] ?? '+Inf', ...labels }, value: count }
  })
  return [
    ...samples,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count }
  ]
}
