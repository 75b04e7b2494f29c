/** How a navigation ended. */
export interface NavigationEnd {
  /** Name of the route shown, which need not be the one asked for. */
  name?: string
  /** What it failed with. */
  error?: unknown
}

export interface NavigationStart {
  /** Name of the route asked for: a pattern, such as `/items/[id]`. */
  name: string
  url: URL
  /** The answer that was asked for ahead, and that it will use. */
  ahead?: Promise<unknown>
}

/** Whoever watches what the shell does, and takes no part in it. */
export interface Watcher {
  /** The visitor wants another page. @returns is called once, when it stands or nothing comes of it */
  navigates: (start: NavigationStart) => (end: NavigationEnd) => void
  /** A page's data is asked for before anybody goes there. Calls `ask` at once, and returns what that does. */
  asksAhead: <T>(name: string, ask: () => Promise<T>) => Promise<T>
  /** Whether what is at an address may be watched; if not, it is opened as a document, which nobody watches. */
  covers: (url: URL) => boolean
}

/** Until somebody watches. */
export const watcher: Watcher = {
  navigates: () => () => {},
  asksAhead: (_name, ask) => ask(),
  covers: () => true
}

/** Has it watch from now on. */
export function watch(by: Partial<Watcher>): void {
  Object.assign(watcher, by)
}
