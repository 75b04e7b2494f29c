import { useState } from 'react'
import { useNavigation } from '@hull/shell/client'

interface StableList<Value> {
  place: string
  /** The newest data. */
  next: Value
  shown: Value
  /** A navigation is in progress. */
  isNavigating: boolean
  /** The navigation was started here, so the user expects new content: it is shown at once. */
  isOpen: boolean
}

const begin = <Value>(place: string, next: Value, isNavigating: boolean): StableList<Value> => ({
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
  const [list, setList] = useState(() => begin(place, next, isNavigating))
  let now = list
  if (list.place !== place || (list.isOpen && list.next !== next)) now = begin(place, next, isNavigating)
  else {
    if (list.next !== next) now = { ...list, next, shown: renew(list.shown, next) }
    if (list.isNavigating !== isNavigating) now = { ...now, isNavigating, isOpen: isNavigating }
  }
  if (now !== list) setList(now)
  return { shown: now.shown, showNext: () => setList(begin(place, next, isNavigating)) }
}
