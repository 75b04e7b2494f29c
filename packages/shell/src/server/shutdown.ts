import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { toReadableError } from '@hull/common/readable-error.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { completesWithin } from '@hull/common/completes-within.ts'
import { countThreads, terminateThreads } from '@hull/common/threads.ts'

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

/** Share of `timeout` after which threads that still run are terminated, so that they end before the exit. Ours. */
const TERMINATE_AT = 19 / 20

/** Milliseconds that threads have to end before an exit. A guess: a thread in JavaScript needs a few. */
const THREADS_TIMEOUT = 200

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
        killIfStuck(app)
      }
    },
    async function shutDown({ err, manual }) {
      const start = (closingSince ??= performance.now())
      // What app.close has not ended by then would keep the process from exiting.
      setTimeout(
        safeCallback(() => void terminateThreads()),
        timeout * TERMINATE_AT
      ).unref()
      // Anything may be thrown, so `err` alone does not say whether something was.
      if (!manual) app.reportFatal(err)
      try {
        const cut = await app.drain.start({
          responses: timeout * RESPONSES_SHARE,
          functions: timeout * FUNCTIONS_SHARE
        })
        if (cut > 0) app.log.warn({ cut }, 'responses cut: they were still open at the drain timeout')
        await app.close()
      } catch (failure) {
        app.log.error({ err: failure }, 'closing failed')
        return exit(app, 1)
      }
      app.log.info({ duration: Math.round(performance.now() - start) }, 'closed')
      await exit(app, manual ? 0 : 1)
    }
  )

  function closeOnSignal(signal: NodeJS.Signals) {
    if (closingSince === undefined) {
      closingSince = performance.now()
      app.log.info({ signal, inFlight: app.drain.inFlight }, 'shutting down')
      grace.close()
    } else if (performance.now() - closingSince > REPEAT_WINDOW) {
      app.log.warn({ signal }, 'second signal: exiting at once')
      void exit(app, 1)
    }
  }

  for (const signal of SIGNALS) process.on(signal, safeCallback(closeOnSignal))
  // oxlint-disable-next-line hull/safe-callbacks -- it never throws, and wrapped it would be called for its own errors
  process.on('unhandledRejection', app.reportRejection)
}

async function exit(app: FastifyInstance, code: number): Promise<never> {
  await completesWithin(terminateThreads(), THREADS_TIMEOUT)
  killIfStuck(app)
  process.exit(code)
}

/**
 * `process.exit` waits for every thread. One that is inside SQLite, or waits for a disk that does not answer, would keep
 * the process past its limit; both files survive a kill.
 */
function killIfStuck(app: FastifyInstance): void {
  const threads = countThreads()
  if (threads === 0) return
  app.log.error({ threads }, 'a thread does not end: killing the process')
  process.kill(process.pid, 'SIGKILL')
}
