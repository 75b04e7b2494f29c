import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { toReadableError } from '@hull/common/readable-error.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { completesWithin } from '@hull/common/completes-within.ts'
import { countThreads, terminateThreads } from '@hull/common/threads.ts'

export interface ShutdownOptions {
  /**
   * Milliseconds between the signal and the end of accepting requests. Meanwhile /readyz is 503, so that a load balancer
   * sends no more requests.
   * @default 0
   */
  delay?: number
  /** Milliseconds between the signal, or the end of `delay`, and the exit, even if something is still open. */
  timeout: number
}

/**
 * Shares of `timeout`: three quarters for open responses, an eighth for drain functions, the rest for `app.close`. Drain
 * functions may also use the time that the responses leave. If all end early, the exit is earlier. Our choice.
 */
const RESPONSES_SHARE = 3 / 4
const FUNCTIONS_SHARE = 1 / 8

/** Share of `timeout` after which running threads are terminated, so that they end before the exit. Our choice. */
const TERMINATE_AT = 19 / 20

/** Milliseconds for threads to end before an exit. A guess: a thread that runs JavaScript needs a few. */
const THREADS_TIMEOUT = 200

/**
 * Milliseconds in which repeated signals count as one: on Ctrl-C, a terminal signals the whole process group, and npm
 * forwards the signal to a child that already has it. A guess: a person takes longer to press twice.
 */
const REPEAT_WINDOW = 500

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/**
 * Events that close-with-grace must ignore. SIGTERM, SIGINT and unhandled rejections have listeners here. The others
 * keep their defaults, such as the core dump after SIGSEGV, or the exit code when the event loop is empty.
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
 * Shuts down gracefully.
 * - SIGTERM or SIGINT: waits for `delay`, drains, closes and exits with 0, even if responses were cut at the limit; with 1
 *   if `app.close` fails or takes longer than `timeout`. A second signal exits with 1 immediately.
 * - Uncaught exception: is logged as fatal and reported, and the server closes in the same way, with 1. A second one exits
 *   immediately, because the process's memory may be corrupt.
 * - Unhandled rejection: is logged, reported and counted, and the server continues.
 * @see docs/decisions/031-failures-outside-of-requests.md
 */
export function closeOnSignals(app: FastifyInstance, { delay = 0, timeout }: ShutdownOptions): void {
  let closingSince: number | undefined
  let isClosing = false

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
      isClosing = true
      const start = (closingSince ??= performance.now())
      // Threads that app.close has not ended by then would prevent the exit.
      setTimeout(
        safeCallback(() => void terminateThreads()),
        timeout * TERMINATE_AT
      ).unref()
      // Any value can be thrown, even undefined, so `err` does not show whether one was.
      const refusal = toListenRefusal(app, err)
      if (refusal !== undefined) app.log.fatal({ code: (err as NodeJS.ErrnoException).code }, refusal)
      else if (!manual) app.reportFatal(err)
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
      app.drain.announce()
      setTimeout(
        safeCallback(function closeUnlessClosing() {
          if (!isClosing) grace.close()
        }),
        delay
      )
    } else if (performance.now() - closingSince > REPEAT_WINDOW) {
      app.log.warn({ signal }, 'second signal: exiting at once')
      void exit(app, 1)
    }
  }

  for (const signal of SIGNALS) process.on(signal, safeCallback(closeOnSignal))
  // oxlint-disable-next-line hull/safe-callbacks -- it never throws, and wrapped it would be called for its own errors
  process.on('unhandledRejection', app.reportRejection)
}

/** Says which setting to change if the system refuses the address at which the server is to listen. */
function toListenRefusal(app: FastifyInstance, error: unknown): string | undefined {
  const { syscall, code, address, port, hostname } = Object(error) as Record<string, unknown>
  if (syscall === 'getaddrinfo' && !app.server.listening) return `${hostname} has no address: set HOST`
  if (syscall !== 'listen') return undefined
  if (code === 'EADDRINUSE') return `port ${port} is in use: set PORT, or end the process that uses it`
  if (code === 'EACCES') return `port ${port} needs more rights: set PORT to 1024 or more`
  if (code === 'EADDRNOTAVAIL') return `${address} is no address of this machine: set HOST`
  return undefined
}

async function exit(app: FastifyInstance, code: number): Promise<never> {
  await completesWithin(terminateThreads(), THREADS_TIMEOUT)
  killIfStuck(app)
  process.exit(code)
}

/**
 * Kills the process if threads are left, because `process.exit` waits for them. A thread inside SQLite, or waiting for
 * a disk that does not answer, would keep the process past its limit. SQLite files survive a kill.
 */
function killIfStuck(app: FastifyInstance): void {
  const threads = countThreads()
  if (threads === 0) return
  app.log.error({ threads }, 'a thread does not end: killing the process')
  process.kill(process.pid, 'SIGKILL')
}
