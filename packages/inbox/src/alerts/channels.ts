import { createHash, timingSafeEqual } from 'node:crypto'
import { InboxChannelNotFound } from '../errors.ts'
import { toPlain } from '../queries/plain-row.ts'
import type { Row, Store } from '../store/store.ts'
import type { AlertChannel } from './types.ts'

type ChannelRow = Row & { secret: string; quiet_from: number | null; quiet_until: number | null }

const CHANNELS = `SELECT id, kind, name, target, secret, group_window AS groupWindow, quiet_from, quiet_until, zone, created,
  person, code, paused FROM alert_channel`

/** All channels, by id, with those of people. */
export const readChannels = (store: Store): AlertChannel[] =>
  store.all<ChannelRow>(`${CHANNELS} ORDER BY id`).map(toChannel)

/** The channels of the team, by id. */
export const readTeamChannels = (store: Store): AlertChannel[] =>
  store.all<ChannelRow>(`${CHANNELS} WHERE person IS NULL ORDER BY id`).map(toChannel)

/** A person's own mail channel. */
export function findOwnChannel(store: Store, person: number): AlertChannel | undefined {
  const row = store.get<ChannelRow>(`${CHANNELS} WHERE person = ?`, person)
  return row && toChannel(row)
}

/** A channel of the team. @throws InboxChannelNotFound */
export function getChannel(store: Store, id: number): AlertChannel {
  const row = store.get<ChannelRow>(`${CHANNELS} WHERE id = ? AND person IS NULL`, id)
  if (!row) throw new InboxChannelNotFound()
  return toChannel(row)
}

/** The mail channel of a link to unsubscribe; undefined if the token is wrong. */
export function findLinked(store: Store, { id, token }: { id: number; token: string }): AlertChannel | undefined {
  const row = store.get<ChannelRow>(`${CHANNELS} WHERE id = ? AND kind = 'mail'`, id)
  return row && isEqual(row.secret, token) ? toChannel(row) : undefined
}

/** Compares in constant time. */
function isEqual(secret: string, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(secret), hash(token))
}

const toChannel = ({ quiet_from: from, quiet_until: until, ...row }: ChannelRow): AlertChannel => ({
  ...toPlain<AlertChannel>(row),
  ...(from !== null && until !== null && { quiet: { from, until } })
})

/** Whether the channel is in its quiet hours. */
export function isQuiet({ quiet, zone }: Pick<AlertChannel, 'quiet' | 'zone'>, now: number): boolean {
  if (!quiet) return false
  const minute = minuteOfDay(now, zone)
  const { from, until } = quiet
  return from <= until ? minute >= from && minute < until : minute >= from || minute < until
}

function minuteOfDay(now: number, zone: string): number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23'
  })
  const [hours = 0, minutes = 0] = format.format(now).split(':').map(Number)
  return hours * 60 + minutes
}
