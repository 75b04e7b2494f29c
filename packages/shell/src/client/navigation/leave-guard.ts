/**
 * Decides whether a navigation waits for the visitor.
 * @param url address of the next page
 * @param proceed starts the navigation again
 * @returns true if the navigation must not start now
 */
export type LeaveGuard = (url: URL, proceed: () => void) => boolean

/** How `useBlocker` holds navigations. Most applications do not load that hook. */
export interface Guard {
  holds: LeaveGuard
  /** The next navigation must not wait. */
  accept: () => void
  /** Calls `run` when the components have their pending state. */
  afterUpdates: (run: () => void) => void
}

let guard: Guard | undefined

/** Installs the guard, or removes it. */
export function setLeaveGuard(next?: Guard): void {
  guard = next
}

/** The next navigation does not wait: the server has taken what was entered. */
export function openGuard(): void {
  guard?.accept()
}

/** Calls `run` when a `setDirty(false)` of the same event counts; at once without a guard. */
export function afterUpdates(run: () => void): void {
  if (guard) guard.afterUpdates(run)
  else run()
}

/** Whether the guard holds a navigation to another page. @default false without a guard */
export const isHeld: LeaveGuard = (url, proceed) => guard?.holds(url, proceed) === true
