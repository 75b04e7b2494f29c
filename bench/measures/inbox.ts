import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { fill } from '../fill.ts'
import { get } from '../http.ts'
import type { Ask } from '../load.ts'
import { readMix } from '../mix.ts'
import { startServer, type Server } from '../servers.ts'
import type { Bench, Measurement } from './measure.ts'
import { withEnv } from './variants.ts'

const HEADERS = { 'content-type': 'text/plain;charset=UTF-8', 'sec-fetch-site': 'same-origin' }

/** Envelopes a second beside which pages are timed, and how many pages. */
const RATE = 500
const PAGES = 400
const PAGE = '/list'

/**
 * The inbox in a running application: time an envelope until it can be read, at full speed for a minute; what pages wait
 * for it at {@link RATE} a second; and bytes an envelope. The server has both cores, and shares one with the load.
 */
export async function measureInbox(bench: Bench): Promise<Measurement[]> {
  const { built, options, load, serverCore, loadCore, say } = bench
  const hull = built.find(({ name }) => name === 'hull')
  if (!hull) return []
  const both = serverCore === undefined ? undefined : `${serverCore},${loadCore}`
  const contender = withEnv(hull, { INBOX: '1', TUNNEL_RATE: '0', TRACES_SAMPLE_RATE: '0' })
  const server = await startServer(contender, both)
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

  say(`inbox: ${options.load} s at full speed`)
  const storedBefore = await countStored(server)
  const begin = performance.now()
  await load.run(server, ask, { seconds: options.load, requests: 10_000_000 })
  await untilStored(server)
  const stored = (await countStored(server)) - storedBefore
  const took = performance.now() - begin
  await server.stop()

  const bytes = sizeOf(contender.launch.env['DATA_DIR']!) / (storedBefore + stored)
  const own = (id: string, label: string, unit: string, value: number): Measurement => ({
    id,
    label,
    unit,
    samples: { hull: [value] }
  })
  return [
    own('inbox time', 'inbox, time an item until it is stored', 'ms', took / stored),
    own('inbox wait', `inbox, p99 of ${PAGE} beside ${RATE} envelopes/s, past idle`, 'ms', beside - idle),
    own('inbox bytes', 'inbox, file an item', 'bytes', bytes)
  ]
}

/** The mix, for the application's own project: the page says which that is. */
async function createAsk(server: Server): Promise<Ask> {
  const { body } = await get(server.origin, '/')
  const [, settings = '{}'] = /id="monitoring">(.*?)<\/script>/.exec(body.toString()) ?? []
  const { dsn } = JSON.parse(settings) as { dsn?: string }
  if (dsn === undefined) throw new Error('hull tells its pages of no monitoring: is INBOX=0 set?')
  return { method: 'POST', path: '/monitoring', headers: HEADERS, bodies: readMix(dsn) }
}

/** p99 of pages with one request at a time, in milliseconds. */
async function timePages(server: Server): Promise<number> {
  const times: number[] = []
  for (let page = 0; page < PAGES; page++) {
    const begin = performance.now()
    await get(server.origin, PAGE)
    times.push(performance.now() - begin)
  }
  return times.sort((a, b) => a - b)[Math.floor(PAGES * 0.99)]!
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
async function untilStored(server: Server): Promise<void> {
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
