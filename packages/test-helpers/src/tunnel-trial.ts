import { setTimeout as pause } from 'node:timers/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { createFolder } from './folder.ts'
import { accept, openProvider, reply } from './provider.ts'
import { createSample, until } from './tunnel.ts'
import { startTunnel, type TunnelProcess } from './tunnel-process.ts'

/** Concurrent writers, like browsers. */
const WRITERS = 32

const OUTAGES = 3
const KILLS = 2

/**
 * Writes `count` envelopes to a tunnel while its provider is unreachable three times and answers 500 at times, and the
 * process is killed twice. Every accepted envelope has to arrive unchanged.
 */
export async function tryTunnel(t: Test, count: number): Promise<void> {
  const file = join(createFolder(t), 'spool.db')
  const provider = await openProvider(t)
  provider.conduct((response, envelope) => (provider.seen.length % 50 === 0 ? reply(500) : accept)(response, envelope))
  const kept = new Map<string, Buffer>()
  let tunnel: Promise<TunnelProcess> = startTunnel(t, file, provider.dsn)
  let written = 0
  /**
   * Number of envelopes to write up to each event, so that some are written while it lasts and some after the last one.
   */
  let allowed = 0
  let refused = 0

  async function writeUntilDone() {
    for (;;) {
      await until(() => written < allowed || written === count)
      if (written === count) return
      written++
      const size = written % 100 === 0 ? 600_000 : 100 + (written % 4_000)
      const sample = createSample(provider.dsn, { size, sentAt: Date.now() })
      if (await (await tunnel).write(sample)) kept.set(String(sample.meta.header.event_id), sample.body)
      else refused++
    }
  }
  async function disturb() {
    const events = [
      ...Array.from({ length: OUTAGES }, (_, i) => ({ at: (i + 0.5) / OUTAGES, kind: 'outage' })),
      ...Array.from({ length: KILLS }, (_, i) => ({ at: (i + 1) / (KILLS + 1), kind: 'kill' }))
    ].sort((a, b) => a.at - b.at)
    for (const { at, kind } of events) {
      allowed = Math.ceil((at + 0.1) * count)
      await until(() => written >= at * count)
      if (kind === 'kill') {
        const killed = await tunnel
        tunnel = killed.kill().then(() => startTunnel(t, file, provider.dsn))
      } else {
        await provider.goDown()
        await pause(300)
        await provider.comeBack()
      }
    }
    allowed = count
  }
  await Promise.all([disturb(), ...Array.from({ length: WRITERS }, writeUntilDone)])

  const arrived = () => new Set(provider.received.map(({ header }) => String(header.event_id)))
  await until(() => {
    if (provider.received.length < kept.size) return false
    const ids = arrived()
    return [...kept.keys()].every((id) => ids.has(id))
  })
  let changed = 0
  for (const { header, body } of provider.received) {
    const sent = kept.get(String(header.event_id))
    if (sent && !sent.equals(body)) changed++
  }
  const duplicates = provider.received.length - arrived().size
  t.comment(`${kept.size} accepted, ${refused} not answered, ${duplicates} duplicates`)
  t.ok(refused <= KILLS * WRITERS, 'all were accepted but those that a killed process had in hand')
  t.equal(changed, 0, 'each as it was')
  // Envelopes in transit when the process was killed or the provider became unreachable.
  t.ok(duplicates <= (OUTAGES + KILLS) * 64, 'and few twice')
}
