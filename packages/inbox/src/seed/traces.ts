import type { SpanDetail, Vital } from '../store/model.ts'
import type { SeedWriter } from './seed-writer.ts'
import type { Random } from './random.ts'

/** A page load, a navigation or a request. */
export interface Visit {
  at: number
  route: string
  path: string
  environment: string
  release: number
  /** Requests to the upstream; 0 for none. All but the last fail, and if `fails` is set the last does too. */
  attempts: number
  fails: boolean
  isNavigation: boolean
}

export interface SeedTrace {
  traceId: string
  browserSpan: string
  /** Span to which an error of the server belongs. */
  serverSpan: string
}

type SeedSpan = Omit<SpanDetail, 'release' | 'traceId' | 'environment'>

/** Adds the spans of browser and server for a visit, with a span for each attempt, and the vitals of a page load. */
export function addTrace(writer: SeedWriter, random: Random, visit: Visit): SeedTrace {
  const traceId = random.hex(32)
  const spans: SeedSpan[] = []
  const add = (
    side: SpanDetail['side'],
    op: string,
    name: string,
    from: number,
    to: number,
    more: Partial<SeedSpan> = {}
  ) => {
    const spanId = random.hex(16)
    const [start, duration] = [Math.round((visit.at + from) * 1000), Math.max(1, Math.round((to - from) * 1000))]
    spans.push({ spanId, side, op, name, start, duration, isSegment: false, status: 'ok', attributes: {}, ...more })
    return spanId
  }
  const network = random.skewed(24, 0.4)
  const attempts = makeAttempts(random, visit.attempts, visit.fails)
  const data = attempts.at(-1)?.to ?? random.skewed(4)
  const render = random.skewed(3)
  const server = 1.2 + data + render
  const status = visit.fails ? 'error' : 'ok'
  const total = visit.isNavigation ? network * 2 + server + 30 : network * 3 + server + random.skewed(420, 0.4)
  const root = add('browser', visit.isNavigation ? 'navigation' : 'pageload', visit.route, 0, total, {
    isSegment: true,
    status,
    attributes: {
      'url.path': visit.path,
      'browser.navigation.type': visit.isNavigation ? 'push' : 'navigate',
      effectiveConnectionType: '4g'
    }
  })
  const inside = { parentId: root, segmentId: root }
  const fetched = visit.isNavigation
    ? add('browser', 'http.client', `GET /-/data${visit.path}`, 4, 4 + network * 2 + server, { ...inside, status })
    : add('browser', 'browser.request', visit.path, 2, network * 2 + server, inside)
  const began = 4 + network
  const serverRoot = add('server', 'http.server', visit.route, began, began + server, {
    isSegment: true,
    parentId: fetched,
    status,
    attributes: {
      'http.request.method': 'GET',
      'http.route': visit.route,
      'http.response.status_code': visit.fails ? 500 : 200
    }
  })
  const served = { parentId: serverRoot, segmentId: serverRoot }
  add('server', 'guard', visit.route, began + 0.2, began + 0.6, served)
  const loaded = add('server', 'getData', visit.route, began + 0.8, began + 0.8 + data, { ...served, status })
  for (const { number, from, to, answer } of attempts)
    add('server', 'http.client', 'GET https://stock.internal/items', began + 0.9 + from, began + 0.7 + to, {
      parentId: loaded,
      segmentId: serverRoot,
      status: answer < 400 ? 'ok' : 'error',
      attributes: {
        'http.request.method': 'GET',
        'server.address': 'stock.internal',
        attempt: number,
        'http.response.status_code': answer
      }
    })
  if (!visit.fails) add('server', 'render', visit.route, began + 1 + data, began + 1 + data + render, served)
  if (!visit.isNavigation)
    addPaint(visit, total, network * 2 + server, (op, name, from, to) => add('browser', op, name, from, to, inside))
  for (const span of spans) writer.span(1, { ...span, traceId, environment: visit.environment }, visit.release)
  addVitals(writer, random, visit, traceId, network * 2 + server, total)
  return { traceId, browserSpan: root, serverSpan: loaded }
}

/** Attempts with exponential backoff and jitter. */
function makeAttempts(random: Random, attempts: number, fails: boolean) {
  const made: { number: number; from: number; to: number; answer: number }[] = []
  for (let number = 1, from = 0; number <= attempts; number++) {
    const to = from + random.skewed(28, 0.5)
    made.push({ number, from, to, answer: number < attempts || fails ? 503 : 200 })
    from = to + random.next() * 100 * 2 ** number
  }
  return made
}

function addPaint(
  visit: Visit,
  total: number,
  answered: number,
  add: (op: string, name: string, from: number, to: number) => void
): void {
  add('resource.css', '/assets/index-4t2.css', answered + 3, answered + 3 + (total - answered) * 0.2)
  add('resource.script', '/assets/index-9fk2c.js', answered + 3, answered + 3 + (total - answered) * 0.45)
  add('ui.hydrate', visit.route, answered + (total - answered) * 0.5, answered + (total - answered) * 0.6)
  add('resource.img', '/media/lamp.avif', answered + 12, total - 5)
}

function addVitals(
  writer: SeedWriter,
  random: Random,
  visit: Visit,
  traceId: string,
  ttfb: number,
  total: number
): void {
  const add = (name: Vital, value: number, after: number) =>
    writer.vital(
      1,
      { traceId, name, value, at: Math.round(visit.at + after), page: visit.route, environment: visit.environment },
      visit.release
    )
  if (random.chance(0.7)) add('INP', Math.round(random.skewed(visit.route === '/checkout' ? 190 : 70)), total + 4_000)
  if (visit.isNavigation) return
  add('TTFB', Math.round(ttfb), ttfb)
  add('FCP', Math.round(ttfb + (total - ttfb) * 0.4), total * 0.5)
  add('LCP', Math.round(random.skewed(visit.route.startsWith('/items') ? 2_300 : 1_300, 0.45)), total)
  add('CLS', random.chance(0.6) ? 0 : Math.round(random.skewed(0.06) * 1000) / 1000, total)
}
