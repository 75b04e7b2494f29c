import { mondayMorning, tomorrowMorning, type Zone } from '../shared/zone.ts'

/**
 * Ways to ignore an issue until a morning, each with its form value and label. In UTC, the server computes the time, so
 * that they work without script. On a Sunday, tomorrow is Monday, so there is one way.
 */
export function listMornings(now: number, zone: Zone): (readonly [value: string, label: string])[] {
  const tomorrow = tomorrowMorning(now, zone)
  const monday = mondayMorning(now, zone)
  const toChange = (value: string, at: number, label: string) =>
    zone === 'UTC' ? ([value, `${label} UTC`] as const) : ([`ignore-until-${at}`, label] as const)
  const first = toChange('ignore-tomorrow', tomorrow, 'Until tomorrow, 06:00')
  return tomorrow === monday ? [first] : [first, toChange('ignore-week', monday, 'Until Monday, 06:00')]
}
