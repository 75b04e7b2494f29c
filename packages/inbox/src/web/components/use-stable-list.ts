import { useState } from 'react'
import { useNavigation } from '@hull/shell/client'

interface Held<Value> {
  place: string
  /** What came last. */
  next: Value
  shown: Value
  /** A navigation is under way. */
  isNavigating: boolean
  /** It began while this was shown, so somebody has asked for what comes next: it is shown as it is. */
  isOpen: boolean
}

const begin = <Value>(place: string, next: Value, isNavigating: boolean): Held<Value> => ({
  place,
  next,
  shown: next,
  isNavigating,
  isOpen: false
})

/**
 * Keeps what is shown where it is, however often the data comes anew, until somebody asks for more: nothing moves under
 * a pointer, and nothing is taken away from whoever reads.
 * @param next the newest data
 * @param place the address: another one begins anew
 * @param renew what is shown, brought up to date in its place
 */
export function useStableList<Value>(next: Value, place: string, renew: (shown: Value, next: Value) => Value) {
  const isNavigating = useNavigation().state !== 'idle'
  const [held, setHeld] = useState(() => begin(place, next, isNavigating))
  let now = held
  if (held.place !== place || (held.isOpen && held.next !== next)) now = begin(place, next, isNavigating)
  else {
    if (held.next !== next) now = { ...held, next, shown: renew(held.shown, next) }
    if (held.isNavigating !== isNavigating) now = { ...now, isNavigating, isOpen: isNavigating }
  }
  if (now !== held) setHeld(now)
  return { shown: now.shown, showNext: () => setHeld(begin(place, next, isNavigating)) }
}
