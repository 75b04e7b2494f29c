import type { Test } from 'tap'

export interface LogLine {
  level: number
  msg: string
  [key: string]: unknown
}

/** Pino's level of errors; fatal is above it. */
const ERROR = 50

/** Log lines of an application, in this process or in another. */
export class LogRecorder {
  readonly lines: LogLine[] = []

  write(line: string): void {
    this.lines.push(JSON.parse(line) as LogLine)
  }

  /** The error lines so far; from now on the test has asked for them. */
  takeErrors(): LogLine[] {
    const errors = this.lines.filter(({ level }) => level >= ERROR)
    for (const line of errors) this.lines.splice(this.lines.indexOf(line), 1)
    return errors
  }
}

/**
 * The one place that fails a test for what it did not ask for: an error line, an unhandled rejection (which is logged as
 * one), or the end of the process.
 * @param stop ends the application @returns how its process ended before that, where it has one that was to go on
 */
export function failOnTrouble(t: Test, logs: LogRecorder, stop: () => Promise<number | string | undefined>): void {
  t.teardown(async () => {
    const ended = await stop()
    if (ended !== undefined) throw new Error(`the process ended with ${ended}, and no test asked for it`)
    // A page that is closed at the same moment may report into a spool that is closed.
    const [error] = logs.takeErrors().filter(({ code }) => code !== 'APP_MONITORING_SPOOL_UNAVAILABLE')
    if (error) throw new Error(`an error nobody asked for: ${JSON.stringify(error)}`)
  })
}
