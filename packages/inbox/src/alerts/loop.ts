import { SECOND } from '@hull/common/time.ts'
import { completesWithin } from '@hull/common/completes-within.ts'
import { trustedNow } from '@hull/common/trusted-clock.ts'
import { isErrorCode } from '@hull/common/is-error-code.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import type { Log } from '@hull/common/worker-rpc.ts'
import type { Inbox } from '../store/inbox.ts'
import { AlertFailed } from './alert-failed.ts'
import type { SendOptions } from './send.ts'
import type { ChannelKind, DueMessage } from './types.ts'

/** Milliseconds between turns. With the time for which changes gather, an alert leaves within three seconds. */
const INTERVAL = SECOND

/** Milliseconds between checks of thresholds, so that a threshold alerts within five seconds. */
const THRESHOLD_INTERVAL = 2 * SECOND

/**
 * Milliseconds for which a turn may wait for the store. After a longer wait its claims may end while it sends, so the
 * messages are left to the turn that claims them next.
 */
const STALE = 30 * SECOND

/** Milliseconds for which the end of the process waits for messages that are being sent. */
const CLOSE_TIMEOUT = 5 * SECOND

export interface AlertLoopOptions extends Omit<SendOptions, 'now'> {
  inbox: Pick<Inbox, 'hasAlertWork' | 'changes'>
  log: Log
  /** Milliseconds since the epoch. @default a clock that ignores jumps */
  now?: () => number
  /**
   * Milliseconds since the epoch by the machine's clock. Events are counted by it, and receivers compare it with the
   * time of a message.
   * @default Date.now
   */
  wall?: () => number
  /** Called after each attempt to deliver a message, except those that the end of the process cuts. */
  onAttempt?: (kind: ChannelKind, outcome: AttemptOutcome) => void
}

export type AttemptOutcome = 'delivered' | 'failed'

export interface AlertLoop {
  /** Starts the turns. */
  start: () => void
  /** Runs one turn now: gathers changes, and sends the messages that are due. Resolves when they were sent or failed. */
  run: () => Promise<void>
  /** Milliseconds since the epoch by the loop's clock: messages with a later time wait. */
  now: () => number
  /** Ends the turns. Messages that are being sent have a moment; another attempt follows after the next start. */
  close: () => Promise<void>
}

/** Creates the loop that reads recorded changes, groups them into messages and sends these. */
export function createAlertLoop({
  inbox,
  log,
  now = trustedNow,
  wall = Date.now,
  onAttempt,
  ...sendOptions
}: AlertLoopOptions): AlertLoop {
  const { baseUrl } = sendOptions
  const closing = new AbortController()
  const sending = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let failed = ''
  let nextCheck = 0

  async function run(): Promise<void> {
    const checksThresholds = isCheckDue(now())
    if (!(await inbox.hasAlertWork({ now: now(), checksThresholds }))) return
    const claimed = now()
    const due = await inbox.changes.prepareAlerts({
      now: claimed,
      wall: wall(),
      checksThresholds,
      ...(baseUrl !== undefined && { baseUrl })
    })
    if (now() - claimed < STALE) await Promise.all(due.map(track))
  }

  /** Also true after the clock was set back. */
  function isCheckDue(time: number): boolean {
    if (time < nextCheck && time >= nextCheck - THRESHOLD_INTERVAL) return false
    nextCheck = time + THRESHOLD_INTERVAL
    return true
  }

  function track(message: DueMessage): Promise<void> {
    const delivery = deliver(message).finally(() => sending.delete(delivery))
    sending.add(delivery)
    return delivery
  }

  async function deliver(due: DueMessage): Promise<void> {
    const { id } = due.message
    const failure = await attempt(due)
    // The claim of this process ends, and the next process sends the message.
    if (failure !== undefined && closing.signal.aborted) return
    onAttempt?.(due.channel.kind, failure === undefined ? 'delivered' : 'failed')
    await inbox.changes.recordAlert({ id, now: now(), ...failure })
  }

  /** Sends a message. @returns why it failed, if it did */
  async function attempt(due: DueMessage): Promise<{ error: string; retryAfter?: number } | undefined> {
    try {
      // Not at the start: an import of node:http loads all of Node's fetch.
      const { sendMessage } = await import('./send.ts')
      await sendMessage(due, { ...sendOptions, now: wall, signal: closing.signal })
      return undefined
    } catch (error) {
      if (!(error instanceof AlertFailed)) log.error({ err: error, id: due.message.id }, 'an alert cannot be sent')
      const { message, retryAfter } = error as AlertFailed
      return { error: message, ...(retryAfter !== undefined && { retryAfter }) }
    }
  }

  async function turn(): Promise<void> {
    try {
      await run()
      failed = ''
    } catch (error) {
      // While the file cannot be opened, the inbox logs the reason.
      const { message } = error as Error
      if (!isErrorCode(error, 'APP_INBOX_UNAVAILABLE') && message !== failed)
        log.error({ err: error }, 'a run of the alert loop failed')
      failed = message
    }
  }

  /** The next turn does not wait for targets that hang. */
  function schedule(): void {
    if (closing.signal.aborted) return
    timer = setTimeout(
      safeCallback(async () => {
        await completesWithin(turn(), INTERVAL)
        schedule()
      }),
      INTERVAL
    ).unref()
  }

  return {
    start: schedule,
    run,
    now,
    async close() {
      clearTimeout(timer)
      await completesWithin(Promise.allSettled(sending), CLOSE_TIMEOUT)
      closing.abort()
    }
  }
}
