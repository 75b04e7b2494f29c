/** Two units at most: `42 s`, `3 min`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (minutes < 1) return `${Math.floor(seconds)} s`
  if (hours < 1) return `${minutes} min`
  if (hours < 24) return withRest(`${hours} h`, minutes % 60, 'min')
  return withRest(`${Math.floor(hours / 24)} d`, hours % 24, 'h')
}

const withRest = (whole: string, rest: number, unit: string) => (rest === 0 ? whole : `${whole} ${rest} ${unit}`)

/** Binary megabytes, as containers are given them. */
export const formatMegabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`

/** `2026-03-01 09:30:05 UTC`, the same on both sides. */
export const formatUtc = (date: Date) => `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
