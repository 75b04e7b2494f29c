import { useSyncExternalStore } from 'react'

/** A duration in at most two units: `42 s`, `3 min`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (minutes < 1) return `${Math.floor(seconds)} s`
  if (hours < 1) return `${minutes} min`
  if (hours < 24) return withRest(`${hours} h`, minutes % 60, 'min')
  return withRest(`${Math.floor(hours / 24)} d`, hours % 24, 'h')
}

const withRest = (whole: string, rest: number, unit: string) => (rest === 0 ? whole : `${whole} ${rest} ${unit}`)

const unchanging = () => () => {}

/** Shows a time in the visitor's zone once script runs; until then, and without script, in UTC. */
export function useLocalTime(at: number): string {
  const offset = useSyncExternalStore(
    unchanging,
    () => -(new Date(at).getTimezoneOffset() || 0),
    () => 0
  )
  return formatTime(at, offset)
}

/**
 * `2026-03-01 09:30:05 UTC`, `2026-03-01 10:30:05 UTC+1`.
 * @param offset minutes ahead of UTC
 */
export function formatTime(at: number, offset: number): string {
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
  const ahead = `${offset < 0 ? '-' : '+'}${hours}${minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`}`
  const local = new Date(at + offset * 60_000).toISOString().slice(0, 19).replace('T', ' ')
  return `${local} UTC${offset === 0 ? '' : ahead}`
}
