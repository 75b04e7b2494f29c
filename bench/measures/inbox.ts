import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { timeBareInserts } from '../bare-inserts.ts'
import { fill } from '../fill.ts'
import { get } from '../http.ts'
import type { Ask } from '../load.ts'
import { readMix } from '../mix.ts'
import { percentile } from '../ratios.ts'
import { startServer, type Server } from '../servers.ts'
import type { Bench, Measurement } from './measure.ts'
import { withEnv } from './variants.ts'

const HEADERS = { 'content-type': 'text/plain;charset=UTF-8', 'sec-fetch-site': 'same-origin' }

const PAGE = '/list'

/** Envelopes a second beside which pages are timed one after the other, and how many pages. */
const RATE = 500
const PAGES = 400

/** Envelopes a second beside which pages are timed at a rate of their own, and for how many seconds. */
const INTAKE = { rate: 4_000, seconds: 10 }
const PAGE_RATE = 500

/**
 * The inbox in a running application: time an envelope until it can be read, at full speed for a minute; what pages wait
 * for it at {@link RATE} a second; and bytes an envelope. The server has both cores, and shares one with the load.
 */
export async function measureInbox(bench: Bench): Promise<Measurement[]> {
  const { built, options, load, bothCores, say } = bench
  const hull = built.find(({ name }) => name === 'hull')
  if (!hull) return []
  const contender = withEnv(hull, { INBOX: '1', TUNNEL_RATE: '0', TRACES_SAMPLE_RATE: '0' })
  const server = await startServer(contender, bothCores)
  const ask = await createAsk(server)

  say('inbox: pages without envelopes')
  await timePages(server)
  const idle = await timePages(server)
  say(`inbox: pages beside ${RATE} envelopes a second`)
  const stop = sendSteadily(server, ask)
  await sleep(2_000)
  const beside = await timePages(server)
  await stop()
  await untilStored(server)

  say(`inbox: ${PAGE_RATE} pages a second`)
  const pagesAlone = await timeSteadyPages(server)
  say(`inbox: ${PAGE_RATE} pages beside ${INTAKE.rate} envelopes a second`)
  const intake = load.run(server, ask, INTAKE)
  const pagesBeside = await timeSteadyPages(server)
  say(`inbox: accepted ${await intake} envelopes in ${INTAKE.seconds} s`)
  await untilStored(server)

  say(`inbox: ${options.load} s at full speed`)
  const storedBefore = await countStored(server)
  const begin = performance.now()
  await load.run(server, ask, { seconds: options.load, requests: 10_000_000 })
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
    own('inbox time', 'inbox, time an item until it is stored', 'ms', took / stored),
    own('inbox to bare', 'inbox, time an item: to bare inserts of the same rows', 'times', took / stored / bare),
    own(
      'inbox pages',
      `inbox, p99 of ${PAGE} at ${PAGE_RATE}/s: beside ${INTAKE.rate} envelopes/s to idle`,
      'times',
      pagesBeside / pagesAlone
    ),
    own('inbox wait', `inbox, p99 of ${PAGE} beside ${RATE} envelopes/s, past idle`, 'ms', beside - idle),
    own('inbox bytes', 'inbox, file an item', 'bytes', bytes)
  ]
}

/** Envelopes, by default the mix, for the application's own project: the page says which that is. */
export async function createAsk(server: Server, toBodies = readMix): Promise<Ask> {
  const { body } = await get(server.origin, '/')
  const [, settings = '{}'] = /id="hull-monitoring">(.*?)<\/script>/.exec(body.toString()) ?? []
  const { dsn } = JSON.parse(settings) as { dsn?: string }
  if (dsn === undefined) throw new Error('hull tells its pages of no monitoring: is INBOX=0 set?')
  return { method: 'POST', path: '/monitoring', headers: HEADERS, bodies: toBodies(dsn) }
}

/** p99 of pages with one request at a time, in milliseconds. */
async function timePages(server: Server): Promise<number> {
  const times: number[] = []
  for (let page = 0; page < PAGES; page++) {
    const begin = performance.now()
    await get(server.origin, PAGE)
    times.push(performance.now() - begin)
  }
  return percentile(times, 0.99)
}

/** p99 of pages at {@link PAGE_RATE}, each from the moment at which it is due, in milliseconds. */
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
  if (statusCode !== 200) throw new Error(`${PAGE} was answered with ${statusCode}`)
  return performance.now() - due
}

/** @returns how to stop */
function sendSteadily({ origin }: Server, { path, headers, bodies }: Ask): () => Promise<void> {
  const pool = new Pool(origin, { connections: 32 })
  let sent = 0
  const every = 20
  const timer = setInterval(() => {
    for (let count = 0; count < (RATE * every) / 1_000; count++) {
      const body = fill(bodies![sent++ % bodies!.length]!)
      pool.request({ path, method: 'POST', headers, body }).then((answer) => answer.body.dump(), stopOn)
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

/** Waits until nothing is left in the spool. */
export async function untilStored(server: Server): Promise<void> {
  while ((await readMetric(server, /^monitoring_spool_envelopes (\d+)/m)) > 0) await sleep(100)
}

const countStored = (server: Server) => readMetric(server, /^inbox_stored_items_total\{[^}]*\} (\d+)/m)

/** The sum of all lines of a figure. */
async function readMetric(server: Server, line: RegExp): Promise<number> {
  const { body } = await get(server.origin, '/metrics')
  const lines = body.toString().matchAll(new RegExp(line.source, 'gm'))
  return [...lines].reduce((sum, [, value]) => sum + Number(value), 0)
}

const sizeOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.startsWith('inbox.db'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
