import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../contenders/contender.ts'
import type { Ask } from '../load.ts'
import type { ContenderName } from '../options.ts'
import { readCpu } from '../processes.ts'
import { PROVIDER_PROJECT } from '../provider.ts'
import { startServer, type Server } from '../servers.ts'
import { withEnv } from './variants.ts'
import type { Bench, Measurement } from './measure.ts'

/** Envelope of one error from a browser's SDK: 2.6 KB. */
const EVENT = join(PROJECT, 'packages/monitoring/test/fixtures/envelopes/sdk11.12-browser-stream-07-event.envelope')

/** As the browser sends it. */
const HEADERS = { 'content-type': 'text/plain;charset=UTF-8', 'sec-fetch-site': 'same-origin' }

/** Times as long as other measures, 15 s: the time an envelope still falls by a third from the fifth second to the fifteenth. */
const WARM_UP_TIMES = 3

/** A steady rate: envelopes a second, and for how long. */
const STEADY = { rate: 3_000, seconds: 10 }

/** A tunnel, and what is sent through it. */
interface Tunnel {
  name: ContenderName
  server: Server
  ask: Ask
}

/** How long a provider takes to answer, in milliseconds; the name is that of the rows. */
const PROVIDERS = [
  { id: 'tunnel', delay: 0, says: 'a provider that answers at once' },
  { id: 'tunnel +50', delay: 50, says: 'a provider that answers after 50 ms' }
]

/**
 * Time an envelope through the tunnel, from a page of the same origin to a provider that takes everything. Hull answers
 * when it is on disk, and delivers it beside; @sentry/nextjs when the provider has answered. Nobody's turn begins before
 * all that came earlier is delivered; what that takes of the processor is in the second row.
 */
export async function measureTunnel(bench: Bench): Promise<Measurement[]> {
  const { options, load, provider, say } = bench
  const tunnels = await startTunnels(bench)
  const measurements: Measurement[] = []

  async function runTurn(
    { server, ask }: Tunnel,
    delay: number,
    seconds: number
  ): Promise<{ time: number; cpu: number }> {
    const cpu = readCpu(server.pid)
    await provider.setDelay(delay)
    const begin = performance.now()
    const envelopes = await load.run(server, ask, { seconds })
    const time = performance.now() - begin
    await provider.setDelay(0)
    await provider.quiet()
    return { time: time / envelopes, cpu: (readCpu(server.pid) - cpu) / envelopes }
  }

  for (const { id, delay, says } of PROVIDERS) {
    const times: Measurement['samples'] = {}
    const cpus: Measurement['samples'] = {}
    for (const tunnel of tunnels) await runTurn(tunnel, delay, WARM_UP_TIMES * options.warmUp)
    for (let round = 1; round <= options.rounds; round++) {
      say(`tunnel, ${says}, round ${round} of ${options.rounds}`)
      for (const tunnel of tunnels) {
        const { time, cpu } = await runTurn(tunnel, delay, options.seconds)
        ;(times[tunnel.name] ??= []).push(time)
        ;(cpus[tunnel.name] ??= []).push(cpu)
      }
    }
    measurements.push(
      { id, label: `time an envelope through the tunnel, ${says}`, unit: 'ms', samples: times },
      { id: `${id} cpu`, label: 'CPU an envelope, until it is delivered', unit: 'ms', samples: cpus }
    )
  }
  measurements.push(await measureSteady(bench, tunnels))
  for (const { server } of tunnels) await server.stop()
  return measurements
}

/** Envelopes that are not delivered when a steady rate ends, as a share of the accepted ones. */
async function measureSteady({ options, load, provider, say }: Bench, tunnels: Tunnel[]): Promise<Measurement> {
  const samples: Measurement['samples'] = {}
  for (let round = 1; round <= options.rounds; round++)
    for (const { name, server, ask } of tunnels) {
      const before = await provider.countTaken()
      const accepted = await load.run(server, ask, STEADY)
      const delivered = (await provider.countTaken()) - before
      say(`tunnel, ${STEADY.rate} envelopes/s, ${name}: accepted ${accepted}, delivered ${delivered}`)
      ;(samples[name] ??= []).push(1 - delivered / accepted)
      await provider.quiet()
    }
  const label = `share of envelopes not delivered after ${STEADY.seconds} s of ${STEADY.rate}/s`
  return { id: 'tunnel backlog', label, unit: 'share', samples }
}

async function startTunnels({ built, provider, serverCore }: Bench): Promise<Tunnel[]> {
  const hull = built.find(({ name }) => name === 'hull-no-inbox')
  const tunnels: Tunnel[] = []
  if (hull) {
    const server = await startServer(withEnv(hull, { SENTRY_DSN: provider.dsn, TUNNEL_RATE: '0' }), serverCore)
    tunnels.push({ name: 'hull-no-inbox', server, ask: toAsk('/monitoring', provider.dsn) })
  }
  const peer = built.find(({ name }) => name === 'next-sentry')
  if (peer) {
    const server = await startServer(peer, serverCore)
    const path = `/monitoring?o=1&p=${PROVIDER_PROJECT}&r=us`
    tunnels.push({ name: 'next-sentry', server, ask: toAsk(path, provider.dsn) })
  }
  return tunnels
}

function toAsk(path: string, dsn: string): Ask {
  const [header, ...rest] = readFileSync(EVENT, 'utf8').split('\n')
  const body = [JSON.stringify({ ...JSON.parse(header!), dsn }), ...rest].join('\n')
  return { method: 'POST', path, headers: HEADERS, bodies: [body] }
}
