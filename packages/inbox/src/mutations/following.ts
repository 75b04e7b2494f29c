import { toMailAddress } from '../alerts/channel-input.ts'
import { findOwnChannel } from '../alerts/channels.ts'
import { follow } from '../alerts/followers.ts'
import { createSecret } from '../alerts/webhook.ts'
import { InboxIssueNotFound, InboxMailInvalid } from '../errors.ts'
import type { Store } from '../store/store.ts'
import { findIssue } from './selection.ts'
import type { Changes } from './types.ts'

type Input<Name extends keyof Changes> = Parameters<Changes[Name]>[0]

export function followIssue(store: Store, { issue, who }: Input<'followIssue'>): void {
  if (!findIssue(store, issue)) throw new InboxIssueNotFound()
  follow(store, issue, [who])
}

export function unfollowIssue(store: Store, { issue, who }: Input<'unfollowIssue'>): void {
  store.run('DELETE FROM issue_follower WHERE issue = ? AND person = ?', issue, who)
}

export function setOwnMail(store: Store, { person, address, now }: Input<'setOwnMail'>): void {
  const own = findOwnChannel(store, person)
  if (address.trim() === '') return removeOwnMail(store, person)
  const target = toMailAddress(address.trim())
  if (typeof target === 'object') throw new InboxMailInvalid()
  if (own) {
    // A new secret: the reader of another address must not end the mails to this one.
    const secret = own.target === target ? own.secret : createSecret()
    store.run('UPDATE alert_channel SET target = ?, secret = ?, paused = NULL WHERE id = ?', target, secret, own.id)
    return
  }
  store.run(
    `INSERT INTO alert_channel (kind, name, target, secret, group_window, zone, created, person)
     VALUES ('mail', 'Issues that you follow', ?, ?, 0, 'UTC', ?, ?)`,
    target,
    createSecret(),
    now,
    person
  )
}

export function removeOwnMail(store: Store, person: number): void {
  const own = findOwnChannel(store, person)
  if (!own) return
  store.run('DELETE FROM alert_channel WHERE id = ?', own.id)
  store.run('DELETE FROM alert_draft WHERE channel = ?', own.id)
  store.run('DELETE FROM alert_message WHERE channel = ?', own.id)
}
