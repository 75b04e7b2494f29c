import type { Test } from 'tap'

export interface LogLine {
  level: number
  msg: string
  [key: string]: unknown
}

/** Pino's level of errors; that of fatal errors is higher. */
const ERROR = 50

/** Records log lines of an application, in this process or another one. */
export class LogRecorder {
  readonly lines: LogLine[] = []

  write(line: string): void {
    this.lines.push(JSON.parse(line) as LogLine)
  }

  /** Returns the error lines so far, and marks them as expected. */
  takeErrors(): LogLine[] {
    const errors = this.lines.filter(({ level }) => level >= ERROR)
    for (const line of errors) this.lines.splice(this.lines.indexOf(line), 1)
    return errors
  }
}

/**
 * Fails the test for anything unexpected: an error line, an unhandled rejection (which is logged as one), or the end of
 * the process.
 * @param stop ends the application
 * @returns how its process ended before that, if it should still have been running
 */
export function failOnProblem(t: Test, logs: LogRecorder, stop: () => Promise<number | string | undefined>): void {
  t.teardown(async () => {
    const ended = await stop()
    if (ended !== undefined) throw new Error(`the process ended with ${ended}, and no test asked for it`)
    // A page that is closed at the same moment may report to a closed spool.
    const [error] = logs.takeErrors().filter(({ code }) => code !== 'APP_MONITORING_SPOOL_UNAVAILABLE')
    if (error) throw new Error(`an error nobody asked for: ${JSON.stringify(error)}`)
  })
}
