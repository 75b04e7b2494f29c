import { MINUTE } from '@hull/common/time.ts'
import type { ChannelInput } from '../mutations/alert-types.ts'
import type { ChannelKind } from './types.ts'

export const MAX_NAME = 80
export const MAX_TARGET = 2_000
/** Minutes of a day. */
export const MAX_WINDOW = 1_440

/** Columns of a channel. */
export interface ChannelColumns {
  name: string
  [column: string]: string | number | null
}

export type ChannelErrors = Partial<Record<keyof ChannelInput, string>>

/** Checks the values that an admin entered. @returns the columns to store, or a sentence for each wrong value */
export function checkChannel(
  kind: ChannelKind,
  input: ChannelInput
): { columns: ChannelColumns } | { errors: ChannelErrors } {
  const errors: ChannelErrors = {}
  const name = input.name.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  if (name === '' || name.length > MAX_NAME) errors.name = `Enter a name of at most ${MAX_NAME} characters.`
  const target = toTarget(kind, input.target.trim())
  if (typeof target === 'object') errors.target = target.error
  const { groupMinutes } = input
  if (!Number.isSafeInteger(groupMinutes) || groupMinutes < 0 || groupMinutes > MAX_WINDOW)
    errors.groupMinutes = `Enter a whole number of minutes from 0 to ${MAX_WINDOW}.`
  const [quietFrom, quietUntil] = [toMinutes(input.quietFrom), toMinutes(input.quietUntil)]
  const hasNone = quietFrom === null && quietUntil === null
  if (!hasNone && !(Number.isFinite(quietFrom) && Number.isFinite(quietUntil) && quietFrom !== quietUntil))
    errors.quietFrom = 'Enter a start and a different end, such as 22:00 and 07:00, or neither.'
  const zone = toZone(input.zone)
  if (zone === undefined) errors.zone = 'Enter the name of a time zone, such as Europe/Berlin.'
  if (Object.keys(errors).length > 0) return { errors }
  return {
    columns: {
      name,
      target: target as string,
      group_window: groupMinutes * MINUTE,
      quiet_from: quietFrom,
      quiet_until: quietUntil,
      zone: zone!
    }
  }
}

function toTarget(kind: ChannelKind, target: string): string | { error: string } {
  if (kind === 'mail') return toMailAddress(target)
  const url = URL.canParse(target) && target.length <= MAX_TARGET ? new URL(target) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    return { error: 'Enter an address that begins with https:// or http://.' }
  if (url.username !== '' || url.password !== '')
    return { error: 'Enter an address without a user name and a password.' }
  return url.href
}

/** A plain address, so that it can name no further receivers and no headers. */
export function toMailAddress(target: string): string | { error: string } {
  const isAddress = target.length <= 254 && /^[^\s\p{Cc}@<>",;:()[\]\\]+@[^\s\p{Cc}@<>",;:()[\]\\]+$/u.test(target)
  return isAddress ? target : { error: 'Enter one mail address, such as team@shop.example.' }
}

/** Minute of the day; null for an empty text, NaN for a wrong one. */
function toMinutes(text: string): number | null {
  if (text === '') return null
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  return Number(hours) * 60 + Number(minutes)
}

/** Minute of the day as `22:00`. */
export const fromMinutes = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')

function toZone(zone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone.trim() || 'UTC' }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}
