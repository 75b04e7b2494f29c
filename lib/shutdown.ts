import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { toReadableError } from './readable-error.ts'
import { safeCallback } from './safe-callback.ts'

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
 * Events that close-with-grace must not listen to: SIGTERM, SIGINT and unhandled rejections have listeners here; the rest
 * keep their defaults, such as the core dump after SIGSEGV, and an event loop that runs empty keeps its exit code.
 */
const SKIPPED: closeWithGrace.AllEvents[] = [
  ...SIGNALS,
  'unhandledRejection',
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
 * second signal exits 1 at once. An uncaught exception is logged once, as fatal, and reported, and the server closes the
 * same way with 1; a second one exits at once: after it, what the process holds in memory may be wrong. An unhandled
 * rejection is logged, reported and counted, and the server goes on.
 * @see docs/decisions/031-failures-outside-of-requests.md
 */
export function closeOnSignals(app: FastifyInstance, { timeout }: ShutdownOptions): void {
  let closingSince: number | undefined

  const grace = closeWithGrace(
    {
      delay: timeout,
      logger: false,
      skip: SKIPPED,
      onSecondError(err) {
        app.log.fatal({ err: toReadableError(err) }, 'uncaught error while shutting down: exiting at once')
      },
      onTimeout() {
        app.log.error({ timeout }, 'not closed in time: exiting')
      }
    },
    async function shutDown({ err, manual }) {
      const start = (closingSince ??= performance.now())
      // Anything may be thrown, so `err` alone does not say whether something was.
      if (!manual) app.reportFatal(err)
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

  for (const signal of SIGNALS) process.on(signal, safeCallback(closeOnSignal))
  // oxlint-disable-next-line hull/safe-callbacks -- it never throws, and wrapped it would be called for its own errors
  process.on('unhandledRejection', app.reportRejection)
}
