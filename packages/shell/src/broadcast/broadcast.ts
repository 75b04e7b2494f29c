import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { attempt } from '@hull/common/attempt.ts'
import { MAX_MESSAGE_BYTES, type Broadcast, type BroadcastMember } from '@hull/common/broadcast.ts'
import { completesWithin } from '@hull/common/completes-within.ts'
import { fullJitter } from '@hull/common/full-jitter.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { untilAborted } from '../server/until-aborted.ts'

/** An open connection to the other replicas. */
export interface BroadcastConnection {
  /** Sends a text to all replicas, this one included. @throws if it may not have arrived */
  send: (text: string) => Promise<unknown>
  /** Requests an answer of the server. @throws if there is none */
  check: () => Promise<unknown>
  close: () => Promise<void>
}

export interface ConnectOptions {
  /** Called with each text that arrives. */
  onText: (text: string) => void
  /** Called when the connection has ended, or fails. */
  onEnd: (error: Error) => void
}

/** A way to other replicas. */
export interface BroadcastDriver {
  /** Name for the log and the metrics. */
  name: 'postgresql' | 'redis'
  /** @throws if there is no connection within some seconds */
  connect: (options: ConnectOptions) => Promise<BroadcastConnection>
}

export interface BroadcastOptions {
  /** @default members of this process only */
  driver?: BroadcastDriver
  /** Called once for each outage, with the reason. */
  onOutage: (error: Error) => void
  /** Called when a connection is there again. */
  onConnected: () => void
}

/** Maximum bytes of a text: 200 are for the channel and the sender. */
const MAX_TEXT_BYTES = MAX_MESSAGE_BYTES + 200

/**
 * Maximum texts that wait for a connection. Above it, all other replicas are notified that they missed messages. A
 * guess.
 */
const MAX_WAITING = 1_000

/** Milliseconds of the first delay after a failure, which doubles with each further one, and the longest. A guess. */
const FIRST_DELAY = 250
const LONGEST_DELAY = 10_000

/** Milliseconds between checks of a silent connection. A guess. */
const HEARTBEAT = 15_000

/** Milliseconds for which `publish` waits, and the end of the process. */
const PATIENCE = 1_000

interface Text {
  /** Replica that sent it. */
  from: string
  channel?: string
  /** Undefined: the sender could not send all of its messages. */
  message?: string
}

/** Creates the broadcast of a process. Without a driver it needs no connection. */
export function createBroadcast({ driver, onOutage, onConnected }: BroadcastOptions) {
  const from = randomUUID()
  /** Their functions never throw: an error of one must not end the connection, or keep a message from the others. */
  const members: (BroadcastMember & { channel: string })[] = []
  const closing = new AbortController()
  let waiting: string[] = []
  let connection: (Omit<BroadcastConnection, 'check'> & { end: (error: Error) => void }) | undefined
  let flushing: Promise<void> | undefined

  const join: Broadcast['join'] = (channel, member) => {
    const own = { channel, onMessage: safeCallback(member.onMessage), onGap: safeCallback(member.onGap) }
    members.push(own)
    return async (message) => {
      const text = JSON.stringify({ from, channel, message } satisfies Text)
      if (Buffer.byteLength(text) > MAX_TEXT_BYTES) throw new RangeError('a message takes at most 7,700 bytes as JSON')
      for (const other of members) if (other !== own && other.channel === channel) other.onMessage(message)
      if (!driver) return
      waiting.push(text)
      if (waiting.length > MAX_WAITING) waiting = [JSON.stringify({ from } satisfies Text)]
      await completesWithin(flush(), PATIENCE)
    }
  }

  function receive(text: string): void {
    const { from: sender, channel, message } = readText(text)
    if (sender === undefined || sender === from) return
    for (const member of members)
      if (message === undefined) member.onGap()
      else if (member.channel === channel) member.onMessage(message)
  }

  /** Sends the waiting texts in their order. */
  const flush = (): Promise<void> =>
    (flushing ??= sendWaiting().finally(() => {
      flushing = undefined
    }))

  async function sendWaiting(): Promise<void> {
    for (let text; connection && (text = waiting[0]) !== undefined;) {
      const { send, end } = connection
      try {
        await send(text)
      } catch (error) {
        // The next connection sends the text again.
        return end(error as Error)
      }
      // An overflow has replaced the list meanwhile: its only text is to be sent.
      if (waiting[0] === text) waiting.shift()
    }
  }

  /** Keeps a connection until the broadcast is closed. */
  async function run({ connect }: BroadcastDriver): Promise<void> {
    for (let failures = 0; !closing.signal.aborted; failures++) {
      const end = Promise.withResolvers<Error>()
      let heartbeat: NodeJS.Timeout | undefined
      try {
        const { check, ...opened } = await connect({ onText: receive, onEnd: end.resolve })
        connection = { ...opened, end: end.resolve }
        heartbeat = setInterval(
          safeCallback(() => void check().catch(end.resolve)),
          HEARTBEAT
        ).unref()
        failures = 0
        onConnected()
        for (const member of members) member.onGap()
        void flush()
        throw await untilAborted(end.promise, closing.signal)
      } catch (error) {
        if (!closing.signal.aborted && failures === 0) onOutage(error as Error)
      }
      clearInterval(heartbeat)
      const { close } = connection ?? {}
      connection = undefined
      if (close)
        await completesWithin(
          close().catch(() => {}),
          PATIENCE
        )
      await sleep(fullJitter(FIRST_DELAY, failures, LONGEST_DELAY), undefined, { signal: closing.signal }).catch(
        () => {}
      )
    }
  }

  const running = driver && run(driver)

  return {
    join,
    isConnected: () => connection !== undefined,
    /** Sends the waiting texts, for a second at most, and ends the connection. */
    async close(): Promise<void> {
      if (!running) return
      await completesWithin(flush(), PATIENCE)
      closing.abort()
      await completesWithin(running, 2 * PATIENCE)
    }
  }
}

/** Another application may use the same channel. */
const readText = (text: string): Partial<Text> => Object(attempt(() => JSON.parse(text)))
