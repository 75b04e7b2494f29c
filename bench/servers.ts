import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { get } from './http.ts'
import type { ContenderName } from './options.ts'
import { startNode, stopProcess, type Launch } from './processes.ts'

/** A contender that can be started. */
export interface Built<Name extends string = ContenderName> {
  name: Name
  launch: Launch & { log: string }
}

/** A contender that answers. */
export interface Server<Name extends string = ContenderName> {
  name: Name
  origin: string
  pid: number
  /** Milliseconds from spawn to the first 200 of `/`. */
  startedIn: number
  stop: () => Promise<void>
}

const START_TIMEOUT = 30_000
/** Between two looks at a starting server; small against what is measured. */
const POLL = 2
const LOG_TAIL = 2_000

/** Starts a contender on `core` and waits for its first 200. @throws Error with the end of its log */
export async function startServer<Name extends string>(
  { name, launch }: Built<Name>,
  core?: number | string
): Promise<Server<Name>> {
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  const begin = performance.now()
  const child = startNode({ ...launch, env: { ...launch.env, HOST: '127.0.0.1', PORT: String(port) } }, { core })
  await waitForPage(name, child, origin).catch((error) => {
    throw new Error(`${error.message}; the end of its log:\n${readFileSync(launch.log, 'utf8').slice(-LOG_TAIL)}`)
  })
  return { name, origin, pid: child.pid!, startedIn: performance.now() - begin, stop: () => stopProcess(child) }
}

async function waitForPage(name: string, child: ChildProcess, origin: string): Promise<void> {
  const end = performance.now() + START_TIMEOUT
  while (performance.now() < end) {
    const answer = await get(origin, '/').catch(() => undefined) // nobody listens yet
    if (answer?.status === 200) return
    if (child.exitCode !== null || child.signalCode !== null) break
    await sleep(POLL)
  }
  throw new Error(`${name} did not answer / with 200`)
}

/** A port that nobody listens on now. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
