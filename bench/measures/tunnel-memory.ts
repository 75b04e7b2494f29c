import type { Ask } from '../load.ts'
import { readMemory } from '../processes.ts'
import { startProvider } from '../provider.ts'
import { startServer } from '../servers.ts'
import type { Bench, Measurement } from './measure.ts'
import { withEnv } from './variants.ts'

const MEBIBYTE = 1024 * 1024
const HEADERS = { 'content-type': 'application/x-sentry-envelope', 'sec-fetch-site': 'same-origin' }

/** Bytes to send first: a heap that was never under load grows with the load, whatever the size of the spool. */
const WARM_UP = 200 * MEBIBYTE

/** Bytes of the spool before memory is first read, and ten times that when it is read again. */
const SPOOL = 20 * MEBIBYTE

/** The largest envelope that is taken, less its headers. */
const LARGEST = 20 * MEBIBYTE - 1024

/** Resident memory over one envelope of 20 MiB, and over a spool that grows tenfold, in times of what it was before. */
export async function measureTunnelMemory({ built, serverCore, loadCore, load, say }: Bench): Promise<Measurement[]> {
  const hull = built.find(({ name }) => name === 'hull-no-inbox')
  if (!hull) return []
  say('memory of the tunnel')
  const provider = await startProvider(loadCore)
  const { dsn } = provider
  const env = { SENTRY_DSN: dsn, TUNNEL_RATE: '0', SPOOL_MAX_BYTES: '1024MiB' }
  const server = await startServer(withEnv(hull, env), serverCore)
  const fill = async (bytes: number) => {
    const size = 64 * 1024
    await load.run(server, toAsk(dsn, size), { requests: Math.ceil(bytes / size) })
  }
  await fill(WARM_UP)
  await provider.quiet()
  // From here on everything stays in the spool.
  await provider.stop()
  await fill(SPOOL)
  const before = readMemory(server.pid)
  await fill(9 * SPOOL)
  const grown = readMemory(server.pid)
  const peak = await watchMemory(server.pid, async () => {
    for (let sent = 0; sent < 3; sent++) await send(server.origin, createEnvelope(dsn, LARGEST))
  })
  await server.stop()
  const sample = (id: string, label: string, value: number): Measurement => ({
    id,
    label,
    unit: 'times',
    samples: { 'hull-no-inbox': [value] }
  })
  return [
    sample('spool memory', 'memory with a spool of 200 MiB, to one of 20', grown / before),
    sample('envelope memory', 'memory over envelopes of 20 MiB, to before', peak / grown)
  ]
}

function toAsk(dsn: string, size: number) {
  return { method: 'POST', path: '/monitoring', headers: HEADERS, bodies: [createEnvelope(dsn, size)] } satisfies Ask
}

/** One attachment of `size` bytes. */
function createEnvelope(dsn: string, size: number): string {
  return [
    JSON.stringify({ dsn }),
    JSON.stringify({ type: 'attachment', length: size, filename: 'a.txt' }),
    'a'.repeat(size)
  ].join('\n')
}

async function send(origin: string, body: string): Promise<void> {
  const { status } = await fetch(`${origin}/monitoring`, {
    method: 'POST',
    headers: HEADERS,
    body
  })
  if (status !== 200) throw new Error(`hull answered ${status} to an envelope of ${body.length} bytes`)
}

/** The most that was seen, every 10 ms, while it ran. */
async function watchMemory(pid: number, work: () => Promise<void>): Promise<number> {
  let most = readMemory(pid)
  const timer = setInterval(() => {
    most = Math.max(most, readMemory(pid))
  }, 10)
  await work().finally(() => clearInterval(timer))
  return most
}
