import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { timeBareInserts } from '../bare-inserts.ts'
import { fill } from '../fill.ts'
import { get } from '../http.ts'
import type { LoadRequest } from '../load.ts'
import { readMix } from '../mix.ts'
import { percentile } from '../ratios.ts'
import { startServer, type Server } from '../servers.ts'
import type { Bench, Measurement } from './measure.ts'
import { withEnv } from './variants.ts'

const HEADERS = { 'content-type': 'text/plain;charset=UTF-8', 'sec-fetch-site': 'same-origin' }

const PAGE = '/list'

/** Envelopes per second while pages are requested one after the other, and the number of these pages. */
const RATE = 500
const PAGES = 400

/** Envelopes per second while {@link PAGE_RATE} pages per second are requested, and the seconds of this load. */
const INTAKE = { rate: 4_000, seconds: 10 }
const PAGE_RATE = 500

/**
 * Measures the inbox in a running application: the time per item until it is stored, at full speed for a minute; the
 * delay of pages at {@link RATE} envelopes per second; and the bytes per item. The server has both cores, and shares
 * one with the load.
 */
export async function measureInbox(bench: Bench): Promise<Measurement[]> {
  const { built, options, load, bothCores, say } = bench
  const hull = built.find(({ name }) => name === 'hull')
  if (!hull) return []
  const contender = withEnv(hull, { INBOX: '1', TUNNEL_RATE: '0', TRACES_SAMPLE_RATE: '0' })
  const server = await startServer(contender, bothCores)
  const request = await createIntakeRequest(server)

  say('inbox: pages without envelopes')
  await timePages(server)
  const idle = await timePages(server)
  say(`inbox: pages beside ${RATE} envelopes a second`)
  const stop = sendSteadily(server, request)
  await sleep(2_000)
  const beside = await timePages(server)
  await stop()
  await untilStored(server)

  say(`inbox: ${PAGE_RATE} pages a second`)
  const pagesAlone = await timeSteadyPages(server)
  say(`inbox: ${PAGE_RATE} pages beside ${INTAKE.rate} envelopes a second`)
  const intake = load.run(server, request, INTAKE)
  const pagesBeside = await timeSteadyPages(server)
  say(`inbox: accepted ${await intake} envelopes in ${INTAKE.seconds} s`)
  await untilStored(server)

  say(`inbox: ${options.load} s at full speed`)
  const storedBefore = await countStored(server)
  const begin = performance.now()
  await load.run(server, request, { seconds: options.load, requests: 10_000_000 })
  await untilStored(server)
  const stored = (await countStored(server)) - storedBefore
  const took = performance.now() - begin
  await server.stop()

  const folder = contender.launch.env['DATA_DIR']!
  const bytes = sizeOf(folder) / (storedBefore + stored)
  say('inbox: bare inserts of the same rows')
  const bare = timeBareInserts(join(folder, 'inbox.db'), storedBefore + stored)
  const own = (id: string, label: string, unit: string, value: number): Measurement => ({
    id,
    label,
    unit,
    samples: { hull: [value] }
  })
  return [
    own('inbox time', 'inbox, time per item until it is stored', 'ms', took / stored),
    own(
      'inbox to bare',
      'inbox, time per item: relative to bare inserts of the same rows',
      'times',
      took / stored / bare
    ),
    own(
      'inbox pages',
      `inbox, p99 of ${PAGE} at ${PAGE_RATE}/s: with ${INTAKE.rate} envelopes/s, relative to idle`,
      'times',
      pagesBeside / pagesAlone
    ),
    own('inbox wait', `inbox, p99 of ${PAGE} with ${RATE} envelopes/s, minus idle`, 'ms', beside - idle),
    own('inbox bytes', 'inbox, file size per item', 'bytes', bytes)
  ]
}

/**
 * Creates requests with envelopes for the application's own project, whose DSN is in its page. By default they are the
 * mix.
 */
export async function createIntakeRequest(server: Server, toBodies = readMix): Promise<LoadRequest> {
  const { body } = await get(server.origin, '/')
  const [, settings = '{}'] = /id="hull-monitoring">(.*?)<\/script>/.exec(body.toString()) ?? []
  const { dsn } = JSON.parse(settings) as { dsn?: string }
  if (dsn === undefined) throw new Error('The page of hull has no DSN: is INBOX=0 set?')
  return { method: 'POST', path: '/monitoring', headers: HEADERS, bodies: toBodies(dsn) }
}

/** Requests pages one after the other. @returns the p99 of their times, in milliseconds */
async function timePages(server: Server): Promise<number> {
  const times: number[] = []
  for (let page = 0; page < PAGES; page++) {
    const begin = performance.now()
    await get(server.origin, PAGE)
    times.push(performance.now() - begin)
  }
  return percentile(times, 0.99)
}

/**
 * Requests {@link PAGE_RATE} pages per second.
 * @returns the p99 of their times, each from when it is due, in milliseconds
 */
async function timeSteadyPages({ origin }: Server): Promise<number> {
  const pool = new Pool(origin, { connections: 32 })
  const pages: Promise<number>[] = []
  const begin = performance.now()
  const count = PAGE_RATE * (INTAKE.seconds - 1)
  while (pages.length < count) {
    while (begin + (pages.length * 1_000) / PAGE_RATE <= performance.now() && pages.length < count)
      pages.push(timePage(pool, begin + (pages.length * 1_000) / PAGE_RATE))
    await sleep(1)
  }
  const times = await Promise.all(pages)
  await pool.close()
  return percentile(times, 0.99)
}

async function timePage(pool: Pool, due: number): Promise<number> {
  const { statusCode, body } = await pool.request({ path: PAGE, method: 'GET', headers: { accept: 'text/html' } })
  await body.dump()
  if (statusCode !== 200) throw new Error(`The response of ${PAGE} has status ${statusCode}`)
  return performance.now() - due
}

/** Sends {@link RATE} envelopes per second. @returns a function that stops sending */
function sendSteadily({ origin }: Server, { path, headers, bodies }: LoadRequest): () => Promise<void> {
  const pool = new Pool(origin, { connections: 32 })
  let sent = 0
  const every = 20
  const timer = setInterval(() => {
    for (let count = 0; count < (RATE * every) / 1_000; count++) {
      const body = fill(bodies![sent++ % bodies!.length]!)
      pool.request({ path, method: 'POST', headers, body }).then((response) => response.body.dump(), stopOn)
    }
  }, every)
  let failed: unknown
  function stopOn(error: unknown) {
    failed = error
    clearInterval(timer)
  }
  return async () => {
    clearInterval(timer)
    await pool.close()
    await pool.destroy()
    if (failed) throw failed
  }
}

/** Waits until the spool is empty. */
export async function untilStored(server: Server): Promise<void> {
  while ((await readMetric(server, /^monitoring_spool_envelopes (\d+)/m)) > 0) await sleep(100)
}

const countStored = (server: Server) => readMetric(server, /^inbox_stored_items_total\{[^}]*\} (\d+)/m)

/** Reads the sum of all lines of a metric. */
async function readMetric(server: Server, line: RegExp): Promise<number> {
  const { body } = await get(server.origin, '/metrics')
  const lines = body.toString().matchAll(new RegExp(line.source, 'gm'))
  return [...lines].reduce((sum, [, value]) => sum + Number(value), 0)
}

const sizeOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.startsWith('inbox.db'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
