import type { LoadRequest } from '../load.ts'
import { readMemory } from '../processes.ts'
import { startProvider } from '../provider.ts'
import { startServer } from '../servers.ts'
import type { Bench, Measurement } from './measure.ts'
import { withEnv } from './variants.ts'

const MEBIBYTE = 1024 * 1024
const HEADERS = { 'content-type': 'application/x-sentry-envelope', 'sec-fetch-site': 'same-origin' }

/** Bytes to send first, because V8's heap grows with the first load, whatever the size of the spool. */
const WARM_UP = 200 * MEBIBYTE

/** Bytes in the spool when memory is first read; there are ten times as many when it is read again. */
const SPOOL = 20 * MEBIBYTE

/** Payload of the largest accepted envelope: 20 MiB without its headers. */
const LARGEST = 20 * MEBIBYTE - 1024

/**
 * Measures the resident memory with a spool ten times as large, and the peak while envelopes of 20 MiB arrive, each
 * relative to the memory before.
 */
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
    await load.run(server, toRequest(dsn, size), { requests: Math.ceil(bytes / size) })
  }
  await fill(WARM_UP)
  await provider.untilQuiet()
  // Without a provider, all further envelopes stay in the spool.
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
    sample('spool memory', 'memory with a spool of 200 MiB, relative to 20 MiB', grown / before),
    sample('envelope memory', 'peak memory with envelopes of 20 MiB, relative to before', peak / grown)
  ]
}

function toRequest(dsn: string, size: number) {
  return {
    method: 'POST',
    path: '/monitoring',
    headers: HEADERS,
    bodies: [createEnvelope(dsn, size)]
  } satisfies LoadRequest
}

/** Creates an envelope with one attachment of `size` bytes. */
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
  if (status !== 200)
    throw new Error(`The response of hull to an envelope of ${body.length} bytes has status ${status}`)
}

/** Reads memory every 10 ms while `work` runs. @returns the largest value */
async function watchMemory(pid: number, work: () => Promise<void>): Promise<number> {
  let peak = readMemory(pid)
  const timer = setInterval(() => {
    peak = Math.max(peak, readMemory(pid))
  }, 10)
  await work().finally(() => clearInterval(timer))
  return peak
}
