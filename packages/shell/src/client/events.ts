import type { NavigationEnd, NavigationStart, ShellError, ShellListener } from '@hull/common/browser-shell.ts'

const listeners = new Set<ShellListener>()

/**
 * Adds a listener.
 * @returns a function that removes the listener
 */
export function subscribe(listener: ShellListener): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/**
 * Notifies listeners of a navigation's start.
 * @returns a function that notifies them of its end
 */
export function startNavigation(start: NavigationStart): (end: NavigationEnd) => void {
  const ends = call(({ navigation }) => navigation?.(start))
  return (end) => {
    for (const onEnd of ends) callApplication(() => onEnd?.(end))
  }
}

/** Prefetches page data through the listeners' `prefetch`. */
export function requestAhead<T>(routeName: string, request: () => Promise<T>): Promise<T> {
  let send = request
  for (const { prefetch } of listeners) {
    const inner = send
    if (prefetch) send = () => prefetch(routeName, inner)
  }
  return send()
}

/**
 * Notifies listeners of an error.
 * @returns whether a listener reports the error
 */
export const publishError = (error: ShellError): boolean => call((listener) => listener.error?.(error)).includes(true)

/** Whether every listener allows showing the page in this document. */
export const isAllowedInPlace = (url: URL): boolean =>
  !call(({ allowsInPlace }) => allowsInPlace?.(url)).includes(false)

const call = <T>(run: (listener: ShellListener) => T): Array<T | undefined> =>
  [...listeners].map((listener) => callApplication(() => run(listener)))

/** Result of the application's code; undefined if it throws. The exception goes to the browser's `error` event. */
export function callApplication<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    reportError(error)
    return undefined
  }
}
