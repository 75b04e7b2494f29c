import { randomBytes } from 'node:crypto'
import { toMailAddress } from '../alerts/channel-input.ts'
import { findOwnChannel } from '../alerts/channels.ts'
import { addMessage } from '../alerts/drafts.ts'
import { follow } from '../alerts/followers.ts'
import { createCodeMessage } from '../alerts/message.ts'
import { createSecret } from '../alerts/webhook.ts'
import { InboxIssueNotFound, InboxMailCodeWrong, InboxMailInvalid } from '../errors.ts'
import type { Store } from '../store/store.ts'
import { readProjects } from '../store/projects.ts'
import { findIssue } from './selection.ts'
import type { Who } from './author.ts'

/** Sends a person mails about further changes of an issue. @throws InboxIssueNotFound */
export function followIssue(store: Store, { issue, who }: { issue: number; who: Who }): void {
  if (!findIssue(store, issue)) throw new InboxIssueNotFound()
  follow(store, issue, [who])
}

export function unfollowIssue(store: Store, { issue, who }: { issue: number; who: Who }): void {
  store.write('DELETE FROM issue_follower WHERE issue = ? AND person = ?', issue, who)
}

/**
 * Sets where a person receives mails about followed issues, and ends an earlier unsubscription. A code is sent to a
 * new address, which receives nothing else until {@link confirmOwnMail}.
 * @param address empty for no mails
 * @param now milliseconds since the epoch, for delays and limits
 * @param wall the same by the machine's clock, in the message. @default now
 * @throws InboxMailInvalid
 */
export function setOwnMail(
  store: Store,
  input: { person: Who; address: string; now: number; wall?: number; baseUrl?: string }
): void {
  const { person, address, now, wall = now, baseUrl } = input
  if (address.trim() === '') return removeOwnMail(store, person)
  const target = toMailAddress(address.trim())
  if (typeof target === 'object') throw new InboxMailInvalid()
  const own = findOwnChannel(store, person)
  if (own?.target === target && own.code === undefined) {
    store.write('UPDATE alert_channel SET paused = NULL WHERE id = ?', own.id)
    return
  }
  // A new channel: the reader of another address must not end the mails to this one, nor get those that wait.
  removeOwnMail(store, person)
  const code = createCode()
  const id = store.insert(
    `INSERT INTO alert_channel (kind, name, target, secret, group_window, zone, created, person, code)
     VALUES ('mail', 'Issues that you follow', ?, ?, 0, 'UTC', ?, ?, ?)`,
    target,
    createSecret(),
    now,
    person,
    code
  )
  addMessage(store, id, createCodeMessage(readProjects(store)[0]!, code, wall, baseUrl), now)
}

/** Confirms a person's address with the code that was sent to it. @throws InboxMailCodeWrong */
export function confirmOwnMail(store: Store, { person, code }: { person: Who; code: string }): void {
  const own = findOwnChannel(store, person)
  if (own === undefined || own.code === undefined) return
  if (toCode(code) !== toCode(own.code)) throw new InboxMailCodeWrong()
  store.write('UPDATE alert_channel SET code = NULL WHERE id = ?', own.id)
}

/** Letters and digits that are hard to confuse. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** Creates a code of 50 random bits, such as `7KQ2F-M9XBT`: nobody finds it by trying. */
function createCode(): string {
  const letters = Array.from(randomBytes(10), (byte) => ALPHABET[byte % ALPHABET.length]!)
  return `${letters.slice(0, 5).join('')}-${letters.slice(5).join('')}`
}

/** The code as it is compared: people type it with spaces, without the hyphen or in small letters. */
const toCode = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()

export function removeOwnMail(store: Store, person: number): void {
  const own = findOwnChannel(store, person)
  if (!own) return
  store.write('DELETE FROM alert_channel WHERE id = ?', own.id)
  store.write('DELETE FROM alert_draft WHERE channel = ?', own.id)
  store.write('DELETE FROM alert_message WHERE channel = ?', own.id)
}
