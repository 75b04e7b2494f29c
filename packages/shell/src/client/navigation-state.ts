import { useSyncExternalStore } from 'react'

/** What {@link useNavigation} gives. */
export interface NavigationState {
  /** `loading`: another page is on its way. `submitting`: a form is. */
  state: 'idle' | 'loading' | 'submitting'
  /** Path, query and hash of the page on its way. */
  to?: string
  /** The fields that are being sent, while `submitting`. */
  formData?: FormData
}

const IDLE: NavigationState = { state: 'idle' }

let current = IDLE
const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Tells everybody what the browser is waiting for; nothing when it waits for nothing. */
export function setNavigation(next: NavigationState = IDLE): void {
  if (next === current) return
  current = next
  for (const listener of listeners) listener()
}

/** Calls back at every change, outside of React. */
export const onNavigation = (listener: (state: NavigationState) => void) => subscribe(() => listener(current))

/** What the browser is waiting for: to dim a list, disable a button, show what was just sent. On the server: nothing. */
export function useNavigation(): NavigationState {
  return useSyncExternalStore(
    subscribe,
    () => current,
    () => IDLE
  )
}
