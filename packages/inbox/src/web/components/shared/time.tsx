import { createContext, use, useEffect, useState, type ReactNode } from 'react'
import { DAY, SECOND } from '@hull/common/time.ts'
import { formatAgo, formatTime } from './format.ts'
import { useZone } from './use-zone.ts'

const Now = createContext(0)
const LoadedAt = createContext(0)

/** Milliseconds between two updates of the clock. */
const TICK = 15_000

/**
 * Milliseconds to add to `performance.now()` for the time of the server's clock. The largest difference between the two
 * so far: a smaller one comes from an earlier response, of a page to which the visitor has gone back.
 */
let ahead = -Infinity

/** Converts a time of the server to one of `performance.now()`. In the browser only. */
export const toBrowserTime = (at: number): number => at - ahead

/**
 * Current time for everything below: the server's time of the response, so that both sides render the same, advanced in
 * the browser, whatever the browser's clock says.
 * @param props.now of the response; earlier than the present time if the visitor has gone back
 */
export function Clock({ now, children }: { now: number; children: ReactNode }) {
  const [passed, setPassed] = useState({ now, by: 0 })
  useEffect(() => {
    ahead = Math.max(ahead, now - performance.now())
    const passedBy = () => performance.now() - toBrowserTime(now)
    const tick = () => setPassed({ now, by: passedBy() })
    if (passedBy() > SECOND) tick()
    const timer = setInterval(tick, TICK)
    return () => clearInterval(timer)
  }, [now])
  return (
    <LoadedAt value={now}>
      <Now value={passed.now === now ? now + passed.by : now}>{children}</Now>
    </LoadedAt>
  )
}

/** Milliseconds since the epoch, on the server's clock. */
export const useNow = (): number => use(Now)

/** Time at which the shown data was loaded, on the server's clock. */
export const useLoadedAt = (): number => use(LoadedAt)

/** `3 min ago`, with the exact time in UTC in its title. */
export function TimeAgo({ at }: { at: number }) {
  const now = useNow()
  const zone = useZone()
  return stamp(at, formatAgo(at, now, zone))
}

/** The exact time, in the viewer's zone once script runs, with UTC in its title. */
export function Time({ at }: { at: number }) {
  const zone = useZone()
  return stamp(at, formatTime(toValid(at), zone))
}

function stamp(at: number, text: string) {
  const valid = toValid(at)
  return (
    <time dateTime={new Date(valid).toISOString()} title={formatTime(valid, 'UTC')}>
      {text}
    </time>
  )
}

/** Largest time of a Date that is one in every zone. */
const MAX_TIME = 8.64e15 - DAY

/** Clamps values that are not a valid time. */
const toValid = (at: number) => Math.min(Math.max(at, -MAX_TIME), MAX_TIME) || 0
