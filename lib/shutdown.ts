import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { createDigest } from './digest.ts'

export interface ShutdownOptions {
  /** Milliseconds between the signal and the exit, whatever is still open then. */
  timeout: number
}

/**
 * How `timeout` is shared out: open responses have three quarters, drain functions an eighth, `app.close` what is left.
 * Time one does not use is not lost: it is only the exit that comes sooner. Ours.
 */
const RESPONSES_SHARE = 3 / 4
const FUNCTIONS_SHARE = 1 / 8

/**
 * Milliseconds in which further signals are the same wish: on Ctrl-C a terminal signals the whole process group, and
 * npm passes the signal on to a child that already has it. A guess; a person takes longer to press twice.
 */
const REPEAT_WINDOW = 500

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/**
 * What close-with-grace must not listen to: SIGTERM and SIGINT are heard here, for REPEAT_WINDOW; the rest keep what
 * they do by default, such as the core dump after SIGSEGV, and an event loop that runs empty keeps its exit code.
 */
const SKIPPED: closeWithGrace.AllEvents[] = [
  ...SIGNALS,
  'SIGHUP',
  'SIGQUIT',
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGSEGV',
  'SIGUSR2',
  'beforeExit'
]

/**
 * Ends the process in good order: on SIGTERM or SIGINT it drains, closes and exits 0, also when responses had to be cut
 * at the limit, since the server then did all it could; 1 only if `app.close` fails or is not done by `timeout`. A
 * second signal exits 1 at once. An uncaught error is logged once, as fatal, and ends the same way with 1; another
 * one meanwhile exits at once.
 */
export function closeOnSignals(app: FastifyInstance, { timeout }: ShutdownOptions): void {
  let closingSince: number | undefined

  const grace = closeWithGrace(
    {
      delay: timeout,
      logger: false,
      skip: SKIPPED,
      onSecondError(err) {
        app.log.fatal({ err }, 'uncaught error while shutting down: exiting at once')
      },
      onTimeout() {
        app.log.error({ timeout }, 'not closed in time: exiting')
      }
    },
    async function shutDown({ err, manual }) {
      const start = (closingSince ??= performance.now())
      // a promise may be rejected with nothing, so `err` alone does not tell
      if (!manual) reportFatal(app, err)
      try {
        const cut = await app.drain.start({
          responses: timeout * RESPONSES_SHARE,
          functions: timeout * FUNCTIONS_SHARE
        })
        if (cut > 0) app.log.warn({ cut }, 'responses cut: they were still open when the time to drain was over')
        await app.close()
      } catch (failure) {
        app.log.error({ err: failure }, 'closing failed')
        process.exit(1)
      }
      app.log.info({ duration: Math.round(performance.now() - start) }, 'closed')
      if (!manual) process.exit(1)
    }
  )

  function closeOnSignal(signal: NodeJS.Signals) {
    if (closingSince === undefined) {
      closingSince = performance.now()
      app.log.info({ signal, inFlight: app.drain.inFlight }, 'shutting down')
      grace.close()
    } else if (performance.now() - closingSince > REPEAT_WINDOW) {
      app.log.warn({ signal }, 'second signal: exiting at once')
      process.exit(1)
    }
  }

  for (const signal of SIGNALS) process.on(signal, closeOnSignal)
}

/** One log line and one event under the same digest; the event leaves while the server drains. */
function reportFatal(app: FastifyInstance, err: unknown): void {
  const digest = createDigest()
  app.log.fatal({ err, digest }, 'uncaught error: shutting down')
  app.telemetry?.captureError({ error: err, digest, fatal: true })
}
