import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../contenders/contender.ts'
import type { LoadRequest } from '../load.ts'
import type { ContenderName } from '../options.ts'
import { readCpu } from '../processes.ts'
import { PROVIDER_PROJECT } from '../provider.ts'
import { startServer, type Server } from '../servers.ts'
import { withEnv } from './variants.ts'
import type { Bench, Measurement } from './measure.ts'

/** Envelope of one error from a browser's SDK: 2.6 KB. */
const EVENT = join(PROJECT, 'packages/monitoring/test/fixtures/envelopes/sdk11.12-browser-stream-07-event.envelope')

/** Headers that a browser sends. */
const HEADERS = { 'content-type': 'text/plain;charset=UTF-8', 'sec-fetch-site': 'same-origin' }

/**
 * Factor for the warm-up of other measures: 15 s, because the time per envelope falls by a third between the fifth and
 * the fifteenth second.
 */
const WARM_UP_TIMES = 3

/** Load at a steady rate: envelopes per second, and seconds. */
const STEADY = { rate: 3_000, seconds: 10 }

/** A server with a tunnel, and the request that is sent to it. */
interface Tunnel {
  name: ContenderName
  server: Server
  request: LoadRequest
}

/** Milliseconds until a provider responds, with id and label of the measurement. */
const PROVIDERS = [
  { id: 'tunnel', delay: 0, label: 'a provider that responds at once' },
  { id: 'tunnel +50', delay: 50, label: 'a provider that responds after 50 ms' }
]

/**
 * Measures the time per envelope through the tunnel, from a page of the same origin to a provider that accepts every
 * envelope. Hull responds when the envelope is on disk, and delivers it later; @sentry/nextjs responds when the
 * provider has responded. A turn begins only after all earlier envelopes are delivered; the CPU for delivery is in the
 * second row.
 */
export async function measureTunnel(bench: Bench): Promise<Measurement[]> {
  const { options, load, provider, say } = bench
  const tunnels = await startTunnels(bench)
  const measurements: Measurement[] = []

  async function runTurn(
    { server, request }: Tunnel,
    delay: number,
    seconds: number
  ): Promise<{ time: number; cpu: number }> {
    const cpu = readCpu(server.pid)
    await provider.setDelay(delay)
    const begin = performance.now()
    const envelopes = await load.run(server, request, { seconds })
    const time = performance.now() - begin
    await provider.setDelay(0)
    await provider.untilQuiet()
    return { time: time / envelopes, cpu: (readCpu(server.pid) - cpu) / envelopes }
  }

  for (const { id, delay, label } of PROVIDERS) {
    const times: Measurement['samples'] = {}
    const cpus: Measurement['samples'] = {}
    for (const tunnel of tunnels) await runTurn(tunnel, delay, WARM_UP_TIMES * options.warmUp)
    for (let round = 1; round <= options.rounds; round++) {
      say(`tunnel, ${label}, round ${round} of ${options.rounds}`)
      for (const tunnel of tunnels) {
        const { time, cpu } = await runTurn(tunnel, delay, options.seconds)
        ;(times[tunnel.name] ??= []).push(time)
        ;(cpus[tunnel.name] ??= []).push(cpu)
      }
    }
    measurements.push(
      { id, label: `time per envelope through the tunnel, ${label}`, unit: 'ms', samples: times },
      { id: `${id} cpu`, label: 'CPU per envelope, until it is delivered', unit: 'ms', samples: cpus }
    )
  }
  measurements.push(await measureSteady(bench, tunnels))
  for (const { server } of tunnels) await server.stop()
  return measurements
}

/** Measures the share of accepted envelopes that are not yet delivered when the load at a steady rate ends. */
async function measureSteady({ options, load, provider, say }: Bench, tunnels: Tunnel[]): Promise<Measurement> {
  const samples: Measurement['samples'] = {}
  for (let round = 1; round <= options.rounds; round++)
    for (const { name, server, request } of tunnels) {
      const before = await provider.countReceived()
      const accepted = await load.run(server, request, STEADY)
      const delivered = (await provider.countReceived()) - before
      say(`tunnel, ${STEADY.rate} envelopes/s, ${name}: accepted ${accepted}, delivered ${delivered}`)
      ;(samples[name] ??= []).push(1 - delivered / accepted)
      await provider.untilQuiet()
    }
  const label = `share of envelopes not delivered after ${STEADY.seconds} s of ${STEADY.rate}/s`
  return { id: 'tunnel backlog', label, unit: 'share', samples }
}

async function startTunnels({ built, provider, serverCore }: Bench): Promise<Tunnel[]> {
  const hull = built.find(({ name }) => name === 'hull-no-inbox')
  const tunnels: Tunnel[] = []
  if (hull) {
    const server = await startServer(withEnv(hull, { SENTRY_DSN: provider.dsn, TUNNEL_RATE: '0' }), serverCore)
    tunnels.push({ name: 'hull-no-inbox', server, request: toRequest('/monitoring', provider.dsn) })
  }
  const peer = built.find(({ name }) => name === 'next-sentry')
  if (peer) {
    const server = await startServer(peer, serverCore)
    const path = `/monitoring?o=1&p=${PROVIDER_PROJECT}&r=us`
    tunnels.push({ name: 'next-sentry', server, request: toRequest(path, provider.dsn) })
  }
  return tunnels
}

function toRequest(path: string, dsn: string): LoadRequest {
  const [header, ...rest] = readFileSync(EVENT, 'utf8').split('\n')
  const body = [JSON.stringify({ ...JSON.parse(header!), dsn }), ...rest].join('\n')
  return { method: 'POST', path, headers: HEADERS, bodies: [body] }
}
