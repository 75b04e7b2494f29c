import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

export interface MetricOptions<L extends string = string> {
  /** Prometheus name, with its unit: `spool_bytes`, `requests_total`. */
  name: string
  help: string
  /** Names of the labels. Their values must come from a small fixed set, never from a visitor. @default none */
  labelNames?: readonly L[]
}

export interface GaugeOptions<L extends string = string> extends MetricOptions<L> {
  /** Gives the value each time it is asked for; instead of setting it on every change. */
  read?: () => number
}

/** What a plugin counts with. */
export interface Metrics {
  counter: <L extends string = string>(options: MetricOptions<L>) => Counter<L>
  gauge: <L extends string = string>(options: GaugeOptions<L>) => Gauge<L>
  /** Everything so far, in the Prometheus text format. */
  print: () => Promise<string>
  /** Media type of {@link print}. */
  readonly contentType: string
}

/** Counts one answer. `status` 0: the client left before there was one. */
export type ObserveRequest = (route: string | undefined, method: string, status: number, seconds: number) => void

/** Seconds: the defaults of the Prometheus client libraries, written down so that an upgrade does not move them. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** A registry of its own, with the metrics of the process. Two servers in one process do not share it. */
export function createMetrics(): Metrics & { observeRequest: ObserveRequest } {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    counter: ({ labelNames = [], ...options }) => new Counter({ ...options, labelNames, registers }),
    gauge: ({ labelNames = [], read, ...options }) =>
      new Gauge({
        ...options,
        labelNames,
        registers,
        ...(read && {
          collect() {
            this.set(read())
          }
        })
      }),
    print: () => registry.metrics(),
    contentType: registry.contentType,
    observeRequest: createRequestObserver(registry)
  }
}

/** Looks the labels up by route, method and class once; after that a request costs two look-ups and the histogram. */
function createRequestObserver(registry: Registry): ObserveRequest {
  const histogram = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the last byte of its answer, by route pattern.',
    labelNames: ['route', 'method', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [registry]
  })
  const observers = new Map<string, Map<string, Histogram.Internal<string>[]>>()

  return function observeRequest(route = 'none', method, status, seconds) {
    let byMethod = observers.get(route)
    if (byMethod === undefined) observers.set(route, (byMethod = new Map()))
    let byClass = byMethod.get(method)
    if (byClass === undefined) byMethod.set(method, (byClass = []))
    const statusClass = Math.trunc(status / 100)
    const child = (byClass[statusClass] ??= histogram.labels(
      route,
      method,
      statusClass === 0 ? 'none' : `${statusClass}xx`
    ))
    child.observe(seconds)
  }
}
