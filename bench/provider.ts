import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '@hull/test-helpers/free-port.ts'
import { startNode, stopProcess } from './processes.ts'

/** Milliseconds without an envelope after which all are assumed to have arrived. */
const QUIET = 300

/** Project of {@link Provider.dsn}. */
export const PROVIDER_PROJECT = 42

/** A server that accepts envelopes, like a hosted provider. */
export interface Provider {
  origin: string
  dsn: string
  /** Sets the milliseconds before each response. @default 0 */
  setDelay: (delay: number) => Promise<void>
  /** Returns the number of envelopes received until now. */
  countReceived: () => Promise<number>
  /** Resolves when no envelope has arrived for a while. */
  untilQuiet: () => Promise<void>
  stop: () => Promise<void>
}

/** Starts a provider that answers every request with 200, on the core of the load generator. */
export async function startProvider(core?: number): Promise<Provider> {
  const port = await findFreePort()
  const child = startNode(
    { args: [join(import.meta.dirname, 'sink.ts')], cwd: import.meta.dirname, env: { PORT: String(port) } },
    { core, ipc: true }
  )
  await once(child, 'message')
  const host = `127.0.0.1:${port}`

  /** @returns the number of received envelopes */
  async function control(settings: { delay?: number }): Promise<number> {
    child.send(settings)
    const [received] = (await once(child, 'message')) as [number]
    return received
  }

  return {
    origin: `http://${host}`,
    dsn: `http://key@${host}/${PROVIDER_PROJECT}`,
    async setDelay(delay) {
      await control({ delay })
    },
    countReceived: () => control({}),
    async untilQuiet() {
      for (let before = -1, now = await control({}); now !== before; now = await control({})) {
        before = now
        await sleep(QUIET)
      }
    },
    stop: () => stopProcess(child)
  }
}
