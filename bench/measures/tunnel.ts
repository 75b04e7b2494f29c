import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createNextSentry } from '../contenders/next-sentry.ts'
import { PROJECT } from '../contenders/contender.ts'
import type { Ask } from '../load.ts'
import type { ContenderName } from '../options.ts'
import { startProvider, type Provider } from '../provider.ts'
import { startServer, type Server } from '../servers.ts'
import { withEnv } from './variants.ts'
import type { Bench, Measurement } from './measure.ts'

/** What a browser's SDK sends of one error: 2.6 KB. */
const EVENT = join(PROJECT, 'test/fixtures/envelopes/sdk11.12-browser-stream-07-event.envelope')

/** As the browser sends it. */
const HEADERS = { 'content-type': 'text/plain;charset=UTF-8', 'sec-fetch-site': 'same-origin' }

const WARM_UP_SECONDS = 3

/** A tunnel, and what is sent through it. */
interface Tunnel {
  name: ContenderName
  server: Server<string>
  ask: Ask
}

/**
 * Time an envelope through the tunnel, from a page of the same origin to a provider that takes everything at once. Hull
 * answers when it is on disk, and delivers it beside; @sentry/nextjs when the provider has answered.
 */
export async function measureTunnel(bench: Bench): Promise<Measurement[]> {
  const { options, load, loadCore, say } = bench
  const provider = await startProvider(loadCore)
  const tunnels = await startTunnels(bench, provider)
  const samples: Measurement['samples'] = {}
  for (const { server, ask } of tunnels) await load.run(server, ask, { seconds: WARM_UP_SECONDS })
  for (let round = 1; round <= options.rounds; round++) {
    say(`tunnel, round ${round} of ${options.rounds}`)
    for (const { name, server, ask } of tunnels) {
      const begin = performance.now()
      const envelopes = await load.run(server, ask, { seconds: options.seconds })
      const own = (samples[name] ??= [])
      own.push((performance.now() - begin) / envelopes)
    }
  }
  for (const { server } of tunnels) await server.stop()
  await provider.stop()
  return [{ id: 'tunnel', label: 'time an envelope through the tunnel', unit: 'ms', samples }]
}

async function startTunnels({ built, serverCore, say }: Bench, provider: Provider): Promise<Tunnel[]> {
  const hull = built.find(({ name }) => name === 'hull')
  const tunnels: Tunnel[] = []
  if (hull) {
    const server = await startServer(withEnv(hull, { SENTRY_DSN: provider.dsn, TUNNEL_RATE: '0' }), serverCore)
    tunnels.push({ name: 'hull', server, ask: toAsk('/monitoring', provider.dsn) })
  }
  if (built.some(({ name }) => name === 'next')) {
    say('building next with @sentry/nextjs')
    const peer = createNextSentry(provider.origin)
    const server = await startServer({ name: peer.name, launch: await peer.prepare() }, serverCore)
    tunnels.push({ name: 'next', server, ask: toAsk('/monitoring?o=1&p=42&r=us', provider.dsn) })
  }
  return tunnels
}

function toAsk(path: string, dsn: string): Ask {
  const [header, ...rest] = readFileSync(EVENT, 'utf8').split('\n')
  const body = [JSON.stringify({ ...JSON.parse(header!), dsn }), ...rest].join('\n')
  return { method: 'POST', path, headers: HEADERS, bodies: [body] }
}
