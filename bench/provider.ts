import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startNode, stopProcess } from './processes.ts'
import { findFreePort } from './servers.ts'

/** Milliseconds without an envelope after which all are assumed to have arrived. */
const QUIET = 300

/** The project of {@link Provider.dsn}. */
export const PROVIDER_PROJECT = 42

/** A service that takes envelopes. */
export interface Provider {
  origin: string
  dsn: string
  /** Milliseconds until it answers, from now on. @default 0 */
  setDelay: (delay: number) => Promise<void>
  /** Returns the number of envelopes that it has answered, or is about to. */
  countTaken: () => Promise<number>
  /** Resolves when no envelope has arrived for a while. */
  quiet: () => Promise<void>
  stop: () => Promise<void>
}

/** Starts a provider that answers 200 to everything, beside the load generator. */
export async function startProvider(core?: number): Promise<Provider> {
  const port = await findFreePort()
  const child = startNode(
    { args: [join(import.meta.dirname, 'sink.ts')], cwd: import.meta.dirname, env: { PORT: String(port) } },
    { core, ipc: true }
  )
  await once(child, 'message')
  const host = `127.0.0.1:${port}`

  /** @returns how many it has taken */
  async function tell(told: { delay?: number }): Promise<number> {
    child.send(told)
    const [taken] = (await once(child, 'message')) as [number]
    return taken
  }

  return {
    origin: `http://${host}`,
    dsn: `http://key@${host}/${PROVIDER_PROJECT}`,
    async setDelay(delay) {
      await tell({ delay })
    },
    countTaken: () => tell({}),
    async quiet() {
      for (let before = -1, now = await tell({}); now !== before; now = await tell({})) {
        before = now
        await sleep(QUIET)
      }
    },
    stop: () => stopProcess(child)
  }
}
