/**
 * Decides whether a navigation waits for the visitor.
 * @param url address of the next page
 * @param proceed starts the navigation again
 * @returns true if the navigation must not start now
 */
export type LeaveGuard = (url: URL, proceed: () => void) => boolean

let guard: LeaveGuard | undefined
let open: (() => void) | undefined

/**
 * Installs the guard, or removes it. Called by `useBlocker`, which most applications do not load.
 * @param onAccepted called before a navigation that must not wait
 */
export function setLeaveGuard(next?: LeaveGuard, onAccepted?: () => void): void {
  guard = next
  open = onAccepted
}

/** The next navigation does not wait: the server has taken what was entered. */
export function openGuard(): void {
  open?.()
}

/** Whether the guard holds a navigation to another page. @default false without a guard */
export const isHeld: LeaveGuard = (url, proceed) => guard?.(url, proceed) === true
