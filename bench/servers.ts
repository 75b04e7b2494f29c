import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '@hull/test-helpers/free-port.ts'
import { get } from './http.ts'
import type { ContenderName } from './options.ts'
import { startNode, stopProcess, type Launch } from './processes.ts'

/** A contender that has been built. */
export interface Built {
  name: ContenderName
  launch: Launch & { log: string }
}

/** A running contender. */
export interface Server {
  name: ContenderName
  origin: string
  pid: number
  /** Milliseconds from spawn to the first response of `/` with status 200. */
  startedIn: number
  stop: () => Promise<void>
}

const START_TIMEOUT = 30_000
/** Milliseconds between two requests to a starting server; short compared with the start. */
const POLL = 2
const LOG_TAIL = 2_000

const dataFolders: string[] = []

/**
 * Starts a contender on `core`, and waits for its first response with status 200.
 * @throws Error with the end of its log
 */
export async function startServer({ name, launch }: Built, core?: number | string): Promise<Server> {
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  const begin = performance.now()
  const data = launch.env.DATA_DIR ?? createDataFolder()
  const env = { ...launch.env, DATA_DIR: data, HOST: '127.0.0.1', PORT: String(port) }
  const child = startNode({ ...launch, env }, { core })
  await waitForPage(name, child, origin).catch((error) => {
    throw new Error(`${error.message}; the end of its log:\n${readFileSync(launch.log, 'utf8').slice(-LOG_TAIL)}`)
  })
  return { name, origin, pid: child.pid!, startedIn: performance.now() - begin, stop: () => stopProcess(child) }
}

async function waitForPage(name: string, child: ChildProcess, origin: string): Promise<void> {
  const end = performance.now() + START_TIMEOUT
  while (performance.now() < end) {
    const response = await get(origin, '/').catch(() => undefined) // The server does not listen yet.
    if (response?.status === 200) return
    if (child.exitCode !== null || child.signalCode !== null) break
    await sleep(POLL)
  }
  throw new Error(`${name} did not respond to "/" with status 200`)
}

/** Creates an empty data folder for a server; all data folders are deleted when the bench ends. */
export function createDataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hull-bench-'))
  dataFolders.push(folder)
  return folder
}

/** Deletes the data folders of all servers, which must have exited. */
export function deleteDataFolders(): void {
  for (const folder of dataFolders) rmSync(folder, { recursive: true, force: true })
}
