/**
 * Decides whether a navigation waits for the visitor.
 * @param url address of the next page
 * @param proceed starts the navigation again
 * @returns true if the navigation must not start now
 */
export type LeaveGuard = (url: URL, proceed: () => void) => boolean

let guard: LeaveGuard | undefined

/** Installs the guard, or removes it. Called by `useBlocker`, which most applications do not load. */
export function setLeaveGuard(next?: LeaveGuard): void {
  guard = next
}

/** Whether the guard holds a navigation to another page. @default false without a guard */
export const isHeld: LeaveGuard = (url, proceed) => guard?.(url, proceed) === true
