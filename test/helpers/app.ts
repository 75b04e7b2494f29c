import type { Test } from 'tap'
import { readConfig } from '../../lib/config.ts'
import { buildServer } from '../../server.ts'
import type { ServerOptions } from '../../server.ts'
import { createFolder } from './folder.ts'
import type { TestSite } from './site.ts'

interface LogLine {
  level: number
  msg: string
  [key: string]: unknown
}

/** Log lines of an application. An error line that a test did not take fails the test. */
export class LogRecorder {
  readonly lines: LogLine[] = []

  write(line: string): void {
    this.lines.push(JSON.parse(line) as LogLine)
  }

  /** The error lines so far, which are no surprise from now on. */
  takeErrors(): LogLine[] {
    const errors = this.lines.filter(({ level }) => level >= 50)
    for (const line of errors) this.lines.splice(this.lines.indexOf(line), 1)
    return errors
  }
}

export interface TestAppOptions {
  /** Environment variables on top of those for a quiet, local application: it has an inbox with INBOX or a password for it. */
  env?: Record<string, string>
  /** The site to serve. @default the project's own, as built */
  site?: TestSite
  /** Where errors and spans go. @default nowhere */
  telemetryTo?: ServerOptions['telemetryTo']
}

/** The whole application, closed with the test. It sheds no load: a machine busy with tests would look overloaded. */
export async function createTestApp(t: Test, { env = {}, site, telemetryTo }: TestAppOptions = {}) {
  const logs = new LogRecorder()
  const printed: string[] = []
  const config = readConfig({
    DATA_DIR: env.DATA_DIR ?? createFolder(t),
    SESSION_SECRET: 'a secret for tests, of forty characters.',
    MAX_EVENT_LOOP_DELAY: '0',
    INBOX: 'INBOX_PASSWORD' in env ? 'on' : 'off',
    ...env
  })
  const app = await buildServer(config, {
    ...site,
    logStream: logs,
    print: (text) => printed.push(text),
    telemetryTo
  })
  t.teardown(async () => {
    await app.close()
    // A page that is closed at the same moment may report into a spool that is closed.
    const [error] = logs.takeErrors().filter(({ code }) => code !== 'APP_MONITORING_SPOOL_UNAVAILABLE')
    if (error) throw new Error(`an error nobody asked for: ${JSON.stringify(error)}`)
  })
  return { app, logs, printed }
}

export interface ListeningAppOptions extends TestAppOptions {
  /** Called before it listens. */
  prepare?: (app: Awaited<ReturnType<typeof buildServer>>) => void
}

/** The same, listening on a free port of loopback. */
export async function createListeningApp(t: Test, { prepare, ...options }: ListeningAppOptions = {}) {
  const { app, logs, printed } = await createTestApp(t, options)
  prepare?.(app)
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  // A test that fails as it ends may leave it open: its file ends all the same.
  app.server.unref()
  return { app, logs, printed, origin, port: Number(new URL(origin).port) }
}
