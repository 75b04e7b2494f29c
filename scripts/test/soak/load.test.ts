import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { startServer } from '@hull/test-helpers/child-server.ts'
import { INBOX_PASSWORD } from '@hull/test-helpers/inbox-visitor.ts'
import { LAB_PAGES, type LabPage } from '@hull/test-helpers/lab-pages.ts'
import { watchHealth } from '@hull/test-helpers/watched-child.ts'
import { readNodeFlags } from '../../node.js'

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 60)

const CONNECTIONS = 32

/** Of this many requests, one is a page that fails, and one is an error of a service. */
const RARE = 100

/** Milliseconds between two readings of the memory. */
const INTERVAL = 5_000

/**
 * Maximum memory of the last third of the time, relative to the second third. In the first third, caches fill and V8
 * grows its heap. A guess.
 */
const MAX_GROWTH = 1.1

/**
 * Maximum growth of the main thread's heap after the first third, in bytes, measured after a garbage collection. A
 * guess.
 */
const MAX_HEAP_GROWTH = 16 * 1024 ** 2

const KEY = 'a'.repeat(32)

const failing = LAB_PAGES.filter(({ status }) => status === 500)
const others = LAB_PAGES.filter(({ status }) => status !== 500)

t.setTimeout(MINUTES * 60_000 + 300_000)

t.test(`memory does not grow over ${MINUTES} minutes of load`, async (t) => {
  const env = {
    LAB: 'on',
    INBOX_PASSWORD,
    INBOX_KEY: KEY,
    TRACES_SAMPLE_RATE: '0.1',
    TUNNEL_RATE: '0'
  }
  const flags = readNodeFlags(join(import.meta.dirname, '../../..'))
  const server = await startServer(t, env, 'packages/shell/test/fixtures/whole-server.ts', flags)
  const health = await watchHealth(server)
  const third = (MINUTES * 60_000) / 3
  const start = performance.now()
  const isDone = () => performance.now() - start > 3 * third
  const wrong = new Set<string>()
  let count = 0
  let reported = 0

  async function get({ path, status = 200 }: LabPage): Promise<void> {
    const response = await fetch(server.origin + path, { headers: { accept: 'text/html' }, redirect: 'manual' })
    await response.arrayBuffer()
    if (response.status !== status && !response.headers.has('location')) wrong.add(`${path}: ${response.status}`)
  }

  async function sendError(number: number): Promise<void> {
    const event = { event_id: number.toString(16).padStart(32, '0'), message: `order ${number} failed` }
    const response = await fetch(`${server.origin}/api/1/envelope/?sentry_key=${KEY}`, {
      method: 'POST',
      body: `{}\n{"type":"event"}\n${JSON.stringify(event)}\n`
    })
    await response.arrayBuffer()
    if (response.status !== 200) wrong.add(`an error of a service: ${response.status}`)
  }

  async function load(): Promise<void> {
    while (!isDone()) {
      const number = ++count
      if (number % RARE === 0) await get(failing[(number / RARE) % failing.length]!)
      else if (number % RARE === 1) await sendError(number)
      else await get(others[number % others.length]!)
    }
  }

  /** Counts the errors in the log, and discards its lines, because an hour has a million lines. */
  function readLog(): void {
    reported += server.lines.filter(({ level }) => level === 50).length
    server.lines.length = 0
  }

  /** Measures the peak of resident memory in each third, and the heap at the end of the first and of the last third. */
  async function watch() {
    const peaks: number[] = []
    const heaps: number[] = []
    for (const until of [third, 2 * third, 3 * third]) {
      let peak = 0
      while (performance.now() - start < until) {
        await pause(INTERVAL)
        readLog()
        peak = Math.max(peak, (await health.read()).get('process_resident_memory_bytes')!)
      }
      peaks.push(peak)
      if (until !== 2 * third) heaps.push(await health.heap())
    }
    return { peaks, heaps }
  }

  const [{ peaks, heaps }] = await Promise.all([watch(), ...Array.from({ length: CONNECTIONS }, load)])
  const toMiB = (bytes: number) => Math.round(bytes / 1024 ** 2)
  t.comment(`${count} requests; memory of the thirds: ${peaks.map(toMiB)} MiB; heap: ${heaps.map(toMiB)} MiB`)
  t.same([...wrong], [])
  t.ok(peaks[2]! < peaks[1]! * MAX_GROWTH, `${peaks}`)
  t.ok(heaps[1]! < heaps[0]! + MAX_HEAP_GROWTH, `${heaps}`)
  t.match(await health.settled(), { inFlight: 1, rejections: 0 })
  readLog()
  t.ok(reported > 0, 'the failing pages were reported')
})
