import { useSyncExternalStore } from 'react'

/** Return value of {@link useNavigation}. */
export interface NavigationState {
  /** `loading`: the next page is loading. `submitting`: a form is being sent. */
  state: 'idle' | 'loading' | 'submitting'
  /** Path, query and hash of the next page. */
  to?: string
  /** Fields of the form, while `submitting`. */
  formData?: FormData
}

const IDLE: NavigationState = { state: 'idle' }

let current = IDLE
const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Publishes the navigation in progress.
 * @default no navigation
 */
export function setNavigation(next: NavigationState = IDLE): void {
  if (next === current) return
  current = next
  for (const listener of listeners) listener()
}

/** Calls the listener at every change, outside of React. */
export const onNavigation = (listener: (state: NavigationState) => void) => subscribe(() => listener(current))

/** Returns the navigation in progress, to dim a list, disable a button, or show sent values. On the server it is `idle`. */
export function useNavigation(): NavigationState {
  return useSyncExternalStore(
    subscribe,
    () => current,
    () => IDLE
  )
}
