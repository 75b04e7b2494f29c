import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { loadOrExit } from '@hull/common/settings/settings.ts'

interface Server {
  buildServer: (config: object, options: { dev: boolean; print: () => void }) => Promise<FastifyInstance>
}

export interface ApplicationOptions {
  /** Folder with `config.ts` and `server.ts`. */
  root: string
  /** Values that replace those of `loadConfig`. */
  config?: object
  /** Serves from the sources. @default false */
  dev?: boolean
}

/**
 * Builds an application's server without listening, for a command, and closes it afterwards. It has a data folder of its
 * own, which is removed when the process exits: a running server holds locks in its folder. It connects to neither the
 * database nor the Redis of the settings, which are those of running servers. A wrong setting ends the process with its
 * sentence.
 * @throws errors of the start, and of `run`
 */
export async function withApplication<Result>(
  { root, config, dev = false }: ApplicationOptions,
  run: (app: FastifyInstance) => Result | Promise<Result>
): Promise<Result> {
  // Vite's own lines, which are not part of a command's output.
  console.log = console.info = console.error
  // A signal that has no listener ends the process without its `exit` event.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(
      signal,
      safeCallback(() => process.exit(128 + constants.signals[signal]))
    )
  const dataDir = mkdtempSync(join(tmpdir(), 'hull-command-'))
  process.once(
    'exit',
    safeCallback(() => rmSync(dataDir, { recursive: true, force: true }))
  )
  const load = (file: string): Promise<unknown> => import(pathToFileURL(join(root, file)).href)
  const { loadConfig } = (await load('config.ts')) as { loadConfig: () => object }
  const { buildServer } = (await load('server.ts')) as Server
  const settings = {
    ...loadOrExit(loadConfig),
    ...config,
    dataDir,
    databaseUrl: undefined,
    redisUrl: undefined,
    logLevel: 'fatal'
  }
  const app = await loadOrExit(() => buildServer(settings, { dev, print() {} }))
  try {
    await app.ready()
    return await run(app)
  } finally {
    await app.close()
  }
}
