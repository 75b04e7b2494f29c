import type { Test } from 'tap'
import { readConfig } from '../../../config.ts'
import { buildServer } from '../../../server.ts'
import type { ServerOptions } from '../../../server.ts'
import { createFolder } from './folder.ts'
import { failOnProblem, LogRecorder } from './log-recorder.ts'
import type { TestSite } from './site.ts'

export interface TestAppOptions {
  /**
   * Environment variables, added to those of a local application without warnings. The inbox is on if INBOX or
   * INBOX_PASSWORD is set.
   */
  env?: Record<string, string>
  /** The site to serve. @default the built pages of the project */
  site?: TestSite
  /** Where errors and spans go. @default nowhere */
  telemetryTo?: ServerOptions['telemetryTo']
}

/**
 * Builds the whole application, and closes it with the test. It refuses no request for overload, and RENDER_TIMEOUT is
 * a minute, because a machine that runs many tests is slow.
 */
export async function createTestApp(t: Test, { env = {}, site, telemetryTo }: TestAppOptions = {}) {
  const logs = new LogRecorder()
  const printed: string[] = []
  const config = readConfig({
    DATA_DIR: env.DATA_DIR ?? createFolder(t),
    SESSION_SECRET: 'a secret for tests, of forty characters.',
    MAX_EVENT_LOOP_DELAY: '0',
    RENDER_TIMEOUT: '60s',
    INBOX: 'INBOX_PASSWORD' in env ? 'on' : 'off',
    ...env
  })
  const app = await buildServer(config, {
    ...site,
    logStream: logs,
    print: (text) => printed.push(text),
    telemetryTo
  })
  failOnProblem(t, logs, async () => {
    await app.close()
    return undefined
  })
  return { app, logs, printed }
}

export interface ListeningAppOptions extends TestAppOptions {
  /** Called before the server listens. */
  prepare?: (app: Awaited<ReturnType<typeof buildServer>>) => void
}

/** Like {@link createTestApp}, but listens on a free port of loopback. */
export async function createListeningApp(t: Test, { prepare, ...options }: ListeningAppOptions = {}) {
  const { app, logs, printed } = await createTestApp(t, options)
  prepare?.(app)
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  // Lets the process end even if a failed teardown leaves the server open.
  app.server.unref()
  // Otherwise closing the application would wait for a response that a test has not read.
  t.teardown(() => app.server.closeAllConnections())
  return { app, logs, printed, origin, port: Number(new URL(origin).port) }
}
