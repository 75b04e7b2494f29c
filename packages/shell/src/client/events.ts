import type { NavigationEnd, NavigationStart, ShellError, ShellListener } from '@hull/common/browser-shell.ts'

const listeners = new Set<ShellListener>()

/** Adds a listener. @returns a function that removes it */
export function subscribe(listener: ShellListener): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Tells listeners that a navigation starts. @returns the function that tells them its end */
export function startNavigation(start: NavigationStart): (end: NavigationEnd) => void {
  const ends = call(({ navigation }) => navigation?.(start))
  return (end) => {
    for (const onEnd of ends) attempt(() => onEnd?.(end))
  }
}

/** Requests page data ahead of a navigation, through the listeners. */
export function requestAhead<T>(routeName: string, request: () => Promise<T>): Promise<T> {
  let send = request
  for (const { prefetch } of listeners) {
    const inner = send
    if (prefetch) send = () => prefetch(routeName, inner)
  }
  return send()
}

/** Tells listeners of an error. @returns whether one of them reports it */
export const publishError = (error: ShellError): boolean => call((listener) => listener.error?.(error)).includes(true)

/** Whether every listener lets the page be shown in this document. */
export const isAllowedInPlace = (url: URL): boolean =>
  !call(({ allowsInPlace }) => allowsInPlace?.(url)).includes(false)

const call = <T>(run: (listener: ShellListener) => T): Array<T | undefined> =>
  [...listeners].map((listener) => attempt(() => run(listener)))

function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    reportError(error)
    return undefined
  }
}
