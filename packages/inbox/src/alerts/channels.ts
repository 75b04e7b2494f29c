import { createHash, timingSafeEqual } from 'node:crypto'
import { InboxChannelNotFound } from '../errors.ts'
import type { Store } from '../store/store.ts'
import type { AlertChannel, ChannelKind } from './types.ts'

interface ChannelRow {
  id: number
  kind: ChannelKind
  name: string
  target: string
  secret: string
  group_window: number
  quiet_from: number | null
  quiet_until: number | null
  zone: string
  created: number
  paused: number | null
  person: number | null
  code: string | null
}

/** All channels, by id, with those of people. */
export const readChannels = (store: Store): AlertChannel[] =>
  store.all<ChannelRow>('SELECT * FROM alert_channel ORDER BY id').map(toChannel)

/** The channels of the team, by id. */
export const readTeamChannels = (store: Store): AlertChannel[] =>
  store.all<ChannelRow>('SELECT * FROM alert_channel WHERE person IS NULL ORDER BY id').map(toChannel)

/** A person's own mail channel. */
export function findOwnChannel(store: Store, person: number): AlertChannel | undefined {
  const row = store.get<ChannelRow>('SELECT * FROM alert_channel WHERE person = ?', person)
  return row && toChannel(row)
}

/** A channel of the team. @throws InboxChannelNotFound */
export function getChannel(store: Store, id: number): AlertChannel {
  const row = store.get<ChannelRow>('SELECT * FROM alert_channel WHERE id = ? AND person IS NULL', id)
  if (!row) throw new InboxChannelNotFound()
  return toChannel(row)
}

/** The mail channel of a link to unsubscribe; undefined if the token is wrong. */
export function findLinked(store: Store, { id, token }: { id: number; token: string }): AlertChannel | undefined {
  const row = store.get<ChannelRow>(`SELECT * FROM alert_channel WHERE id = ? AND kind = 'mail'`, id)
  return row && isEqual(row.secret, token) ? toChannel(row) : undefined
}

/** Compares in constant time. */
function isEqual(secret: string, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(secret), hash(token))
}

const toChannel = (row: ChannelRow): AlertChannel => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  target: row.target,
  secret: row.secret,
  groupWindow: row.group_window,
  ...(row.quiet_from !== null &&
    row.quiet_until !== null && { quiet: { from: row.quiet_from, until: row.quiet_until } }),
  zone: row.zone,
  created: row.created,
  ...(row.person !== null && { person: row.person }),
  ...(row.code !== null && { code: row.code }),
  ...(row.paused !== null && { paused: row.paused })
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
