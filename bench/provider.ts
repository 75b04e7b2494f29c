import { once } from 'node:events'
import { join } from 'node:path'
import { startNode, stopProcess } from './processes.ts'
import { findFreePort } from './servers.ts'

/** Somebody who takes envelopes. */
export interface Provider {
  origin: string
  /** For its project 42. */
  dsn: string
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
  return { origin: `http://${host}`, dsn: `http://key@${host}/42`, stop: () => stopProcess(child) }
}
