import { DAY, HOUR, MINUTE, SECOND } from '@hull/common/time.ts'
import { fullJitter } from '@hull/common/full-jitter.ts'
import { InboxDeliveryNotFound } from '../errors.ts'
import type { Store } from '../store/store.ts'
import { isQuiet, readChannels } from './channels.ts'
import { receives } from './drafts.ts'
import { addComments } from './message.ts'
import type { AlertChannel, AlertMessage, ChannelKind, DueMessage } from './types.ts'

/** Milliseconds of the first delay after a failure, which doubles with each further one, and the longest. A guess. */
const FIRST_DELAY = 10 * SECOND
const LONGEST_DELAY = HOUR

/** Milliseconds after which a message that cannot be delivered is dead. */
const GIVE_UP = DAY

/** Error of an attempt that nobody recorded, while it is the last one. */
const NO_RESULT = 'The inbox ended before the result of the last attempt was known.'

/** Milliseconds that a message belongs to the process that sends it. If that process ends, another attempt follows. */
const CLAIM = MINUTE

/** The same of a mail, whose server may take its time. */
const MAIL_CLAIM = 5 * MINUTE

/** Maximum milliseconds between the clocks of alert loops, each of which follows that of the database to a second. */
const CLOCK_DIFFERENCE = 2 * SECOND

const claimOf = (kind: ChannelKind): number => (kind === 'mail' ? MAIL_CLAIM : CLAIM)

/** Milliseconds between looks at a message that quiet hours hold back. */
const QUIET_INTERVAL = MINUTE

/** Messages that one turn claims. */
const MAX_CLAIMED = 20

/** Milliseconds after its creation for which a finished message stays in the log. */
const KEPT = 30 * DAY

interface MessageRow {
  id: string
  channel: number
  body: string
  attempts: number
  created: number
  error: string | null
}

/**
 * SQL of messages to send now. A clock that was set back must not delay them; by less than a minute, it delays them by
 * no more than that, and so does the clock of another replica.
 */
export const DUE = `state = 'waiting' AND (due <= ?1 OR due > ?1 + ${LONGEST_DELAY + MINUTE})`

/**
 * Claims the messages that are due: until the claim ends, no other process sends them. Deletes those of removed
 * channels, those about deleted comments, and those of people who have lost the project meanwhile; does not send those
 * of channels that a reader has unsubscribed from. In quiet hours, messages that failed wait. The first attempt of a
 * message is never held back: it left its draft before, or a person sent it, such as a test. An attempt after the time
 * to give up is the last one, also if its process ends without recording a result.
 * @param now milliseconds since the epoch, by the clock of the alert loop
 * @param wall the same by the machine's clock, which quiet hours mean
 */
export function claimDue(store: Store, now: number, wall: number): DueMessage[] {
  const rows = store.all<MessageRow>(
    `SELECT id, channel, body, attempts, created, error FROM alert_message WHERE ${DUE} ORDER BY due LIMIT ${MAX_CLAIMED}`,
    now
  )
  if (rows.length === 0) return []
  const channels = new Map(readChannels(store).map((channel) => [channel.id, channel]))
  return rows.flatMap(({ id, channel: channelId, body, attempts, created, error }) => {
    const channel = channels.get(channelId)
    const message = addComments(store, JSON.parse(body) as AlertMessage)
    if (!channel || !message) {
      store.write('DELETE FROM alert_message WHERE id = ?', id)
      return []
    }
    if (message.type === 'alert' && !receives(store, channel, message.project.id)) {
      if (channel.person === undefined)
        endMessage(store, id, now, 'A reader has unsubscribed. Resume the channel first.')
      else store.write('DELETE FROM alert_message WHERE id = ?', id)
      return []
    }
    if (attempts > 0 && isQuiet(channel, wall)) {
      store.write('UPDATE alert_message SET due = ? WHERE id = ?', now + QUIET_INTERVAL, id)
      return []
    }
    const isLast = now - created >= GIVE_UP
    if (isLast && error === NO_RESULT) {
      endMessage(store, id, now, error)
      return []
    }
    store.write(
      'UPDATE alert_message SET due = ?, attempts = attempts + 1, error = ? WHERE id = ?',
      now + claimOf(channel.kind),
      isLast ? NO_RESULT : error,
      id
    )
    return { message, channel }
  })
}

/**
 * Makes the messages of a channel that failed due, because its target works again, or is another one now. A message that
 * is being sent is due within the time of a claim, so one that is keeps its time.
 */
export function endWaits(store: Store, { id, kind }: Pick<AlertChannel, 'id' | 'kind'>, now: number): void {
  const claimed = now + claimOf(kind) + CLOCK_DIFFERENCE
  store.write(`UPDATE alert_message SET due = ? WHERE channel = ? AND state = 'waiting' AND due > ?`, now, id, claimed)
}

/** Result of an attempt to send a message. */
export interface AttemptResult {
  id: string
  /** Milliseconds since the epoch. */
  now: number
  /** Why it failed; undefined if it was delivered. */
  error?: string
  /** Milliseconds that the target asks to wait. */
  retryAfter?: number
}

/**
 * Records the result of an attempt. A test message that arrives, or one that failed before, shows that the target works
 * again. Another does not: a target may refuse one message, and accept all others.
 */
export function recordAttempt(store: Store, { id, now, error, retryAfter = 0 }: AttemptResult): void {
  const row = store.get<Pick<MessageRow, 'channel' | 'body' | 'attempts' | 'created'>>(
    `SELECT channel, body, attempts, created FROM alert_message WHERE id = ? AND state = 'waiting'`,
    id
  )
  if (!row) return
  const { channel: channelId, body, attempts, created } = row
  if (error !== undefined && now - created < GIVE_UP) {
    const delay = Math.min(LONGEST_DELAY, Math.max(retryAfter, delayAfter(attempts)))
    store.write('UPDATE alert_message SET due = ?, error = ? WHERE id = ?', Math.ceil(now + delay), error, id)
    return
  }
  endMessage(store, id, now, error)
  if (error !== undefined || (attempts === 1 && (JSON.parse(body) as AlertMessage).type === 'alert')) return
  const channel = store.get<Pick<AlertChannel, 'id' | 'kind'>>(
    'SELECT id, kind FROM alert_channel WHERE id = ?',
    channelId
  )
  if (channel) endWaits(store, channel, now)
}

/** @param error why it was not sent. @default it was delivered */
function endMessage(store: Store, id: string, now: number, error?: string): void {
  const state = error === undefined ? 'sent' : 'dead'
  store.write('UPDATE alert_message SET state = ?, finished = ?, error = ? WHERE id = ?', state, now, error ?? null, id)
}

/** Half of the delay is fixed, half is random. */
function delayAfter(attempts: number): number {
  const half = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (attempts - 1)) / 2
  return half + fullJitter(half, 0, half)
}

/** Sends a dead message again, for another day. @throws InboxDeliveryNotFound */
export function retryMessage(store: Store, { id, now }: { id: string; now: number }): void {
  const { changes } = store.run(
    `UPDATE alert_message SET state = 'waiting', created = ?, due = ?, attempts = 0, finished = NULL
     WHERE id = ? AND state = 'dead' AND channel IN (SELECT id FROM alert_channel)`,
    now,
    now,
    id
  )
  if (changes === 0) throw new InboxDeliveryNotFound()
}

/** Deletes finished messages that are older than the log. */
export function removeOldMessages(store: Store, now: number): void {
  store.write(`DELETE FROM alert_message WHERE created < ? AND state IN ('sent', 'dead')`, now - KEPT)
}
