import { useState } from 'react'
import { useNavigation } from '@hull/shell/client'

interface Held<Value> {
  place: string
  /** The newest data. */
  next: Value
  shown: Value
  /** A navigation is in progress. */
  isNavigating: boolean
  /** The navigation was started here, so the user expects new content: it is shown at once. */
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
 * Keeps the displayed rows in place when the data changes, until the user asks for more, so that nothing moves under
 * the pointer or disappears while being read.
 * @param next the newest data
 * @param place the address; a new one starts over
 * @param renew updates the displayed rows in place
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
